// Remainder.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(remainder_tile)
TW_FUNCTION_INIT(remainder_tile)
TW_LACKS(remainder_tile_uint32, "remainder");
TW_LACKS(remainder_tile_uint32_init, "remainder");

}  // namespace ckernel
