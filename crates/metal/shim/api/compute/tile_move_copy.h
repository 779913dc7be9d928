// Tiles from a buffer to Dst.

#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/reconfig_data_format.h"

namespace ckernel {

ALWI void copy_tile_to_dst_init_short(uint32_t = 0, uint32_t faces = 0, uint32_t within = 0, uint32_t = 0) {
    tw::configure(tw::unpack_as(faces, within), tw::math_copy);
}
ALWI void copy_tile_init(uint32_t cb = 0, uint32_t = 0) { copy_tile_to_dst_init_short(cb, 0, 0); }
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t cb, uint32_t transpose = 0) {
    tw::set_source_format(TW_SRC_A, cb);
    copy_tile_to_dst_init_short(cb, transpose, 0);
}
ALWI void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst) {
    tw::one(tw::unpack_one, tw::math_copy, cb, tile, dst);
}
ALWI void copy_block(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) {
        copy_tile(cb, tile + i, dst + i);
    }
}
ALWI void copy_block_matmul_partials(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    copy_block(cb, tile, dst, tiles);
}

}  // namespace ckernel
