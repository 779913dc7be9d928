// Nothing more than the rest.

#pragma once

#include "api/compute/common.h"
