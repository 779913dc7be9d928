// Trigonometry.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(sin_tile)
TW_FUNCTION_INIT(sin_tile)
TW_FUNCTION(cos_tile)
TW_FUNCTION_INIT(cos_tile)
TW_FUNCTION(acosh_tile)
TW_FUNCTION_INIT(acosh_tile)
TW_FUNCTION(tan_tile)
TW_FUNCTION_INIT(tan_tile)
TW_FUNCTION(asinh_tile)
TW_FUNCTION_INIT(asinh_tile)
TW_FUNCTION(atanh_tile)
TW_FUNCTION_INIT(atanh_tile)
TW_FUNCTION(asin_tile)
TW_FUNCTION_INIT(asin_tile)
TW_FUNCTION(atan_tile)
TW_FUNCTION_INIT(atan_tile)
TW_FUNCTION(acos_tile)
TW_FUNCTION_INIT(acos_tile)
TW_FUNCTION(cosh_tile)
TW_FUNCTION_INIT(cosh_tile)
TW_FUNCTION(sinh_tile)
TW_FUNCTION_INIT(sinh_tile)

}  // namespace ckernel
