// Greatest common divisors of integers.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(gcd_tile)
TW_FUNCTION_INIT(gcd_tile)

}  // namespace ckernel
