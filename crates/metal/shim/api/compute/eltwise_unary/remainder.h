// Remainder.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(remainder_tile)
TW_FUNCTION_INIT_2(remainder_tile)
TW_FUNCTION_1(remainder_tile_uint32)
TW_FUNCTION_INIT(remainder_tile_uint32)

}  // namespace ckernel
