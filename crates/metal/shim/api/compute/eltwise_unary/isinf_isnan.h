// Isinf isnan.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(isinf_tile)
TW_FUNCTION_INIT(isinf_tile)
TW_FUNCTION(isposinf_tile)
TW_FUNCTION_INIT(isposinf_tile)
TW_FUNCTION(isneginf_tile)
TW_FUNCTION_INIT(isneginf_tile)
TW_FUNCTION(isnan_tile)
TW_FUNCTION_INIT(isnan_tile)
TW_FUNCTION(isfinite_tile)
TW_FUNCTION_INIT(isfinite_tile)

}  // namespace ckernel
