// The older path of div_int32_floor.h.

#pragma once

#include "api/compute/div_int32_floor.h"
