// Mul int.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(mul_int_tile)
TW_FUNCTION_FORMAT_INIT(mul_int_tile)

}  // namespace ckernel
