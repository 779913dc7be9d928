// Tiles from a buffer to Dst, turned about the diagonal.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void transpose_init(uint32_t, uint32_t = 0) { tw::configure(tw::unpack_transposed, tw::math_copy); }
ALWI void transpose_tile(uint32_t icb, uint32_t tile, uint32_t dst) {
    tw::one(tw::unpack_transposed, tw::math_copy, icb, tile, dst);
}
ALWI void transpose_block(uint32_t icb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) {
        transpose_tile(icb, tile + i, dst + i);
    }
}

// Older names. The one without `short` starts up as well.
ALWI void transpose_wh_init(uint32_t icb, uint32_t ocb = 16, uint32_t = 0) {
    tw_hw_configure(icb, icb, ocb);
    transpose_init(icb);
}
ALWI void transpose_wh_init_short(uint32_t icb) { transpose_init(icb); }
ALWI void transpose_wh_tile(uint32_t icb, uint32_t tile, uint32_t dst) { transpose_tile(icb, tile, dst); }

}  // namespace ckernel
