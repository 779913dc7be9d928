// Clamp.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(clamp_tile)
TW_FUNCTION_INIT(clamp_tile)
TW_FUNCTION_2(clamp_tile_int32)

}  // namespace ckernel
