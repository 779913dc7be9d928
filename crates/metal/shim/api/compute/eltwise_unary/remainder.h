// Remainder.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(remainder_tile)
TW_FUNCTION_INIT_2(remainder_tile)
// Older kernels give the divisor and its reciprocal with each tile.
ALWI void remainder_tile_init() { tw::function_init<TW_HASH("remainder_tile")>(); }
ALWI void remainder_tile(uint32_t dst, uint32_t divisor, uint32_t reciprocal) {
    tw::init_scalars(divisor, reciprocal);
    remainder_tile(dst);
}
TW_FUNCTION_1(remainder_tile_uint32)
TW_FUNCTION_INIT(remainder_tile_uint32)

}  // namespace ckernel
