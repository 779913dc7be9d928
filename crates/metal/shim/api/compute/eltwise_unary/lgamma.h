// Lgamma.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(lgamma_stirling_tile)
TW_FUNCTION_INIT(lgamma_stirling_tile)
TW_FUNCTION_BINARY(lgamma_stirling_float_tile)
TW_FUNCTION_INIT(lgamma_stirling_float_tile)
TW_FUNCTION_TERNARY(lgamma_adjusted_tile)
TW_FUNCTION_INIT(lgamma_adjusted_tile)

}  // namespace ckernel
