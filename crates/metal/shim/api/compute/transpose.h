// Tiles from a buffer to Dst, turned about the diagonal.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void transpose_init(uint32_t, TW_AT) { tw::configure(tw::unpack_transposed, tw::math_copy, tw_at); }
ALWI void transpose_tile(uint32_t icb, uint32_t tile, uint32_t dst, TW_AT) {
    tw::one(tw::unpack_transposed, tw::math_copy, icb, tile, dst, tw_at);
}
ALWI void transpose_block(uint32_t icb, uint32_t tile, uint32_t dst, uint32_t tiles, TW_AT) {
    for (uint32_t i = 0; i < tiles; ++i) {
        transpose_tile(icb, tile + i, dst + i, tw_at);
    }
}

// Older names. The one without `short` starts up as well.
ALWI void transpose_wh_init(uint32_t icb, uint32_t ocb, TW_AT) {
    compute_kernel_hw_startup(icb, ocb, tw_at);
    transpose_init(icb, tw_at);
}
ALWI void transpose_wh_init_short(uint32_t icb, TW_AT) { transpose_init(icb, tw_at); }
ALWI void transpose_wh_tile(uint32_t icb, uint32_t tile, uint32_t dst, TW_AT) { transpose_tile(icb, tile, dst, tw_at); }

}  // namespace ckernel
