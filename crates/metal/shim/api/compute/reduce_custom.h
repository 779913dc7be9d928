// Maxima of rows of a whole block of tiles.

#pragma once

#include "api/compute/reduce.h"
#include "internal/sfpu.h"

namespace ckernel {

constexpr tw_math_op tw_block_max = {
    TW_MATH_REDUCE, TW_POOL_BLOCK_MAX, static_cast<uint8_t>(ReduceDim::REDUCE_ROW), 0, 0, 0, {0, 0}};

ALWI void tw_require_whole_block(bool respect_trigger, uint32_t num_faces = 4) {
    tw::require(num_faces == 4, "maxima of tiles with fewer than four faces");
    tw::require(!respect_trigger, "maxima of rows of a block that comes in two halves");
}

template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row_init([[maybe_unused]] uint32_t ocb = 16) {
    tw_require_whole_block(respect_trigger, num_faces);
    tw::configure(tw::unpack_both, tw_block_max);
    PACK((tw_calls->configure_mask(TW_HERE, tw::mask_of(ReduceDim::REDUCE_ROW))));
}
template <uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4>
ALWI void reduce_block_max_row(uint32_t icb, uint32_t scaler, uint32_t first, uint32_t dst) {
    tw_require_whole_block(respect_trigger, num_faces);
    for (uint32_t tile = 0; tile < block_ct_dim; ++tile) {
        tw::both(tw_block_max, icb, first + tile, scaler, 0, dst);
    }
}
template <bool clear_fp32_accumulation = false>
ALWI void reduce_block_max_row_uninit([[maybe_unused]] uint32_t icb = 0) {
    PACK((tw_calls->configure_mask(TW_HERE, TW_MASK_NONE)));
}

// The same with a size that only the init is told: it stays in the loop that it programs.
inline uint32_t tw_block_tiles = 0;
ALWI void reduce_block_max_row_init_runtime(
    uint32_t ocb, uint32_t block_ct_dim, bool respect_trigger = false, uint32_t num_faces = 4) {
    tw_require_whole_block(respect_trigger, num_faces);
    tw_block_tiles = block_ct_dim;
    reduce_block_max_row_init<1>(ocb);
}
// Halves are told apart only if they are waited for.
ALWI void reduce_block_max_row_runtime(
    uint32_t icb, uint32_t scaler, uint32_t first, uint32_t dst, bool respect_trigger = false,
    [[maybe_unused]] bool overlap_first_half = false, uint32_t num_faces = 4) {
    tw_require_whole_block(respect_trigger, num_faces);
    for (uint32_t tile = 0; tile < tw_block_tiles; ++tile) {
        tw::both(tw_block_max, icb, first + tile, scaler, 0, dst);
    }
}
ALWI void reduce_block_max_row_uninit_runtime(
    uint32_t icb, bool respect_trigger = false, [[maybe_unused]] bool overlap_first_half = false) {
    tw_require_whole_block(respect_trigger);
    reduce_block_max_row_uninit(icb);
}
TW_LACKS(reduce_block_max_row_reinit_short, "maxima of rows of a whole block on Blackhole");
TW_LACKS(reduce_block_max_row_reinit_minimal, "maxima of rows of a whole block on Blackhole");
TW_LACKS(reduce_block_max_row_reinit_minimal_runtime, "maxima of rows of a whole block on Blackhole");
TW_LACKS(reduce_block_max_row_reinit_short_runtime, "maxima of rows of a whole block on Blackhole");

}  // namespace ckernel
