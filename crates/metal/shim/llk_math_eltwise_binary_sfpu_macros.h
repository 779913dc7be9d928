// How vector code is run on tiles.

#pragma once

#include "cmath_common.h"
#include "internal/vector_drivers.h"
