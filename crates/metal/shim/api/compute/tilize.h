// Row-major sticks to tiles.

#pragma once

#include "api/compute/common.h"

namespace tw {

// How wide a row is, told by the init of the faster form.
ALWI uint32_t& fast_row_tiles() { return kept<uint32_t, kept_by::tilize, kept_by::rings>(); }

ALWI void tilize_tiles(
    tw_math_op moved,
    uint32_t icb,
    uint32_t row_tiles,
    uint32_t tiles,
    uint32_t ocb,
    uint32_t in,
    uint32_t out) {
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        UNPACK((tw_calls->unpack(TW_HERE, unpack_tilize(row_tiles), icb, in + tile, TW_NONE, 0)));
        MATH((tw_calls->acquire(TW_HERE)));
        MATH((tw_calls->compute(TW_HERE, moved, 0)));
        MATH((tw_calls->commit(TW_HERE)));
        PACK((tw_calls->wait_commit(TW_HERE)));
        PACK((tw_calls->pack_tile(TW_HERE, 0, ocb, out + tile)));
        PACK((tw_calls->release(TW_HERE)));
    }
}

}  // namespace tw

namespace ckernel {

ALWI void tilize_init(uint32_t, uint32_t block, uint32_t = 16, uint32_t = 0) {
    tw::configure(tw::unpack_tilize(block), tw::math_copy);
}
ALWI void tilize_init_short(uint32_t icb, uint32_t block, uint32_t ocb = 16) { tilize_init(icb, block, ocb); }
ALWI void tilize_init_no_pack(uint32_t icb, uint32_t block) { tilize_init(icb, block); }
ALWI void tilize_init_short_with_dt_no_pack(uint32_t, uint32_t icb, uint32_t block) {
    tw::set_source_format(TW_SRC_A, icb);
    tilize_init(icb, block);
}
ALWI void tilize_init_short_with_dt(uint32_t, uint32_t icb, uint32_t block, uint32_t ocb) {
    tw::set_source_format(TW_SRC_A, icb);
    tilize_init(icb, block, ocb);
}
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t in = 0, uint32_t out = 0) {
    tw::tilize_tiles(tw::math_copy, icb, block, block, ocb, in, out);
}
ALWI void tilize_uninit(uint32_t = 0, uint32_t = 16) {
    UNPACK((tw_calls->configure_unpack(TW_HERE, tw::unpack_one)));
}
ALWI void tilize_uninit_no_pack(uint32_t icb) { tilize_uninit(icb); }
ALWI void tilize_uninit_with_dt_no_pack(uint32_t, uint32_t icb) {
    tilize_uninit(icb);
    tw::set_source_format(TW_SRC_A, icb);
}
ALWI void tilize_uninit_with_dt(uint32_t, uint32_t icb, uint32_t ocb) {
    tilize_uninit(icb, ocb);
    tw::set_source_format(TW_SRC_A, icb);
}

// The faster form moves both halves of a tile through SrcA and SrcB (MOVA2D, MOVB2D): fp32 becomes
// Tf32 or bf16 on the way, and NaN stays NaN in a 32-bit Dst, too.
ALWI void fast_tilize_init(uint32_t, uint32_t full_dim, uint32_t) {
    tw::fast_row_tiles() = full_dim;
    tw::configure(tw::unpack_tilize(full_dim), tw::math_move);
}
ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    fast_tilize_init(icb, full_dim, ocb);
}
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    tw::set_source_format(TW_SRC_A, icb);
    fast_tilize_init(icb, full_dim, ocb);
}
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t full_dim, uint32_t ocb) {
    fast_tilize_init_with_dt(icb, full_dim, ocb);
}
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t = 0) { tilize_uninit(icb, ocb); }
ALWI void fast_tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t in = 0, uint32_t out = 0) {
    [[maybe_unused]] const DataFormat format = static_cast<DataFormat>(unpack_src_format[icb]);
    [[maybe_unused]] const bool is_served = format == DataFormat::Float16_b || format == DataFormat::Float32;
    UNPACK((tw::require(is_served, "fast tilize of other than bf16 and fp32")));
    tw::tilize_tiles(tw::math_move, icb, tw::fast_row_tiles(), block, ocb, in, out);
}
TW_LACKS(tilizeA_B_reduce_init, "tilize of one operand of a reduction");
TW_LACKS(unpack_tilizeA_B_block, "tilize of one operand of a reduction");
TW_LACKS(unpack_tilizeA_B_uninit, "tilize of one operand of a reduction");

}  // namespace ckernel
