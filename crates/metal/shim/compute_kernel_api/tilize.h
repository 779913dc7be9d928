// The older path of tilize.h.

#pragma once

#include "api/compute/tilize.h"
