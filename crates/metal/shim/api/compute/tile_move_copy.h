// Tiles from a buffer to Dst.

#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {

ALWI void copy_tile_to_dst_init_short(uint32_t cb, uint32_t transpose = 0, uint32_t = 0, TW_AT) {
    UNPACK((tw_calls->configure_unpack(TW_HERE, transpose ? tw::unpack_transposed : tw::unpack_one)));
    MATH((tw_calls->configure_math(TW_HERE, tw::math_copy)));
}
ALWI void copy_tile_init(uint32_t cb, TW_AT) { copy_tile_to_dst_init_short(cb, 0, 0, tw_at); }
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t cb, uint32_t transpose = 0, TW_AT) {
    tw::set_source_format(TW_SRC_A, cb, tw_at);
    copy_tile_to_dst_init_short(cb, transpose, 0, tw_at);
}
ALWI void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst, TW_AT) {
    UNPACK((tw_calls->unpack(TW_HERE, tw::unpack_one, cb, tile, TW_NONE, 0)));
    MATH((tw_calls->compute(TW_HERE, tw::math_copy, dst)));
}
ALWI void copy_block(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles, TW_AT) {
    for (uint32_t i = 0; i < tiles; ++i) {
        copy_tile(cb, tile + i, dst + i, tw_at);
    }
}

}  // namespace ckernel
