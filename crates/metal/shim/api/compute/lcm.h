// Least common multiples of integers.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(lcm_tile)
TW_FUNCTION_INIT(lcm_tile)

}  // namespace ckernel
