// Lerp.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY(lerp_tile)
TW_FUNCTION_INIT(lerp_tile)

}  // namespace ckernel
