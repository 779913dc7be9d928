// Vector code as kernels write it (sfpi): vectors, conditions, Dst and functions.

#pragma once

#include "internal/sfpi/functions.h"
