// The older path of common.h.

#pragma once

#include "api/compute/common.h"
