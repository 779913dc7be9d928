// Erfinv.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(erfinv_tile)
TW_FUNCTION_INIT(erfinv_tile)

}  // namespace ckernel
