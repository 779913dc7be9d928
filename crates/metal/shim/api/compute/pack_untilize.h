// Tiles of Dst to row-major sticks.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool narrow_row = false,
    uint32_t row_num_datums = ckernel::TILE_C_DIM,
    bool dense = false,
    bool configure_remap = true>
ALWI void pack_untilize_dest_init(uint32_t ocb, uint32_t face_r_dim = 16, uint32_t num_faces = 4) {
    PACK((tw::require(face_r_dim == 16 && num_faces == 4, "untilize of tiles other than 32 by 32")));
    constexpr bool is_whole = !narrow_row && !dense && row_num_datums == TILE_C_DIM;
    tw::require(is_whole, "untilize of narrow or dense rows");
    PACK((tw_calls->configure_pack_formats(TW_HERE, ocb)));
    PACK((tw_calls->configure_pack(TW_HERE, block_ct_dim, full_ct_dim)));
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_init(uint32_t, uint32_t ocb) {
    tw::configure(tw::unpack_one, tw::math_copy);
    pack_untilize_dest_init<block_ct_dim, full_ct_dim>(ocb);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0) {
    for (uint32_t row = 0; row < block_rt_dim; ++row) {
        MATH((tw_calls->acquire(TW_HERE)));
        for (uint32_t tile = 0; tile < block_ct_dim; ++tile) {
            tw::one(tw::unpack_one, tw::math_copy, icb, tile, tile);
        }
        MATH((tw_calls->commit(TW_HERE)));
        PACK((tw_calls->wait_commit(TW_HERE)));
        PACK((tw_calls->pack_untilize(TW_HERE, ocb, block_c_index, 0)));
        PACK((tw_calls->release(TW_HERE)));
    }
}
template <
    uint32_t block_ct_dim = 8,
    uint32_t full_ct_dim = block_ct_dim,
    bool diagonal = false,
    bool narrow_row = false,
    uint32_t row_num_datums = ckernel::TILE_C_DIM,
    uint32_t tile_dst_ct_offset = 0,
    bool dense = false>
ALWI void pack_untilize_dest(
    uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0, uint32_t tile_dst_rt_offset = 0) {
    tw::require(!diagonal && !narrow_row && !dense, "untilize of narrow, dense or diagonal rows");
    tw::require(block_rt_dim == 1 && tile_dst_rt_offset == 0, "untilize of several rows at once");
    PACK((tw_calls->pack_untilize(TW_HERE, ocb, block_c_index, tile_dst_ct_offset)));
}
ALWI void pack_untilize_uninit(uint32_t ocb = 16) {
    PACK((tw_calls->configure_pack_formats(TW_HERE, ocb)));
    PACK((tw_calls->configure_pack(TW_HERE, 0, 0)));
}

}  // namespace ckernel
