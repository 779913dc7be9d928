// Erf erfc.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FAST(erf_tile, true)
TW_FUNCTION(erfc_tile)
TW_FUNCTION_INIT(erfc_tile)

}  // namespace ckernel
