// Cbrt.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(cbrt_tile)
TW_FUNCTION_INIT(cbrt_tile)

}  // namespace ckernel
