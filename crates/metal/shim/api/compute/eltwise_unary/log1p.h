// Log1p.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FAST(log1p_tile, false)

}  // namespace ckernel
