// I0.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(i0_tile)
TW_FUNCTION_INIT(i0_tile)

}  // namespace ckernel
