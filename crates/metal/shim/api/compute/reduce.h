// Sums and maxima over rows, columns or whole tiles.

#pragma once

#include "api/compute/common.h"

namespace tw {

// An average is a sum; the scaler divides.
constexpr tw_math_op reduction(ckernel::PoolType pool, ckernel::ReduceDim dim) {
    return {TW_MATH_REDUCE, code_of(pool), static_cast<uint8_t>(dim), 0, 0, 0, {0, 0}};
}
// Row sums are products with the data in SrcB (tt-llk `llk_unpack_AB_reduce`); before tt-metal
// v0.74 they had it in SrcA.
constexpr bool swaps_operands(ckernel::PoolType pool, ckernel::ReduceDim dim) {
    return dim == ckernel::ReduceDim::REDUCE_ROW && code_of(pool) == TW_POOL_SUM;
}
// Older kernels ask for sums that keep 32 bits on the way to their column. Sums of v0.78 never leave
// Dst, whose width decides. Pooled sums and those of a whole tile go through SrcB, in fewer bits.
template <bool is_enforced>
ALWI void require_accumulation([[maybe_unused]] ckernel::ReduceDim dim) {
    static_assert(!is_enforced || DST_ACCUM_MODE, "fp32 accumulation needs fp32_dest_acc_en");
#ifdef TILEWRIGHT_API_BEFORE_V0_74
    const bool leaves_dst = true;
#else
    const bool leaves_dst = dim == ckernel::ReduceDim::REDUCE_SCALAR;
#endif
    require(!is_enforced || !leaves_dst, "reductions with enforced fp32 accumulation");
}
constexpr uint32_t mask_of(ckernel::ReduceDim dim) { return TW_MASK_ROW + static_cast<uint32_t>(dim); }

}  // namespace tw

// What a kernel reduces by when it does not say: what its host defines.
#ifdef REDUCE_OP
#define TW_HOSTS_POOL = REDUCE_OP
#define TW_HOSTS_DIM = REDUCE_DIM
#else
#define TW_HOSTS_POOL
#define TW_HOSTS_DIM
#endif

namespace ckernel {

template <PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM, bool enforce_fp32_accumulation = false>
ALWI void reduce_init(uint32_t, uint32_t, uint32_t, uint32_t = 0) {
    static_assert(pool != PoolType::MIN, "the matrix unit takes no minimum");
    tw::require_accumulation<enforce_fp32_accumulation>(dim);
    tw::configure(tw::unpack_both, tw::reduction(pool, dim));
    PACK((tw_calls->configure_mask(TW_HERE, tw::mask_of(dim))));
}
template <bool enforce_fp32_accumulation = false>
ALWI void reduce_uninit(uint32_t = 0) { PACK((tw_calls->configure_mask(TW_HERE, TW_MASK_NONE))); }
template <PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM, bool enforce_fp32_accumulation = false>
ALWI void reduce_tile(uint32_t icb, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst) {
    if constexpr (tw::swaps_operands(pool, dim)) {
        tw::both(tw::reduction(pool, dim), scaler, scaler_tile, icb, tile, dst);
    } else {
        tw::both(tw::reduction(pool, dim), icb, tile, scaler, scaler_tile, dst);
    }
}
template <PoolType pool, ReduceDim dim>
ALWI void reduce_block(
    uint32_t icb, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) {
        reduce_tile<pool, dim>(icb, scaler, tile + i, scaler_tile, dst + i);
    }
}
// The part of math alone; another call has unpacked.
template <PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM, bool enforce_fp32_accumulation = false>
ALWI void reduce_tile_math(uint32_t dst, uint32_t faces = 4) {
    tw::require(faces == 4, "reductions of tiles with fewer than four faces");
    MATH((tw_calls->compute(TW_HERE, tw::reduction(pool, dim), dst)));
}

// Older names: what changes between an operation and a reduction, and back.
template <bool at_start, PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM>
ALWI void reduce_init(uint32_t icb, uint32_t scaler, uint32_t ocb = 16) {
    if constexpr (at_start) {
        tw_hw_configure(icb, scaler, ocb);
    }
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <bool at_start, PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM>
ALWI void reduce_init_delta(uint32_t icb = 0, uint32_t scaler = 1, uint32_t ocb = 16) {
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <PoolType pool TW_HOSTS_POOL, ReduceDim dim TW_HOSTS_DIM>
ALWI void reduce_init_delta(uint32_t icb = 0, uint32_t scaler = 1, uint32_t ocb = 16) {
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <ReduceDim dim TW_HOSTS_DIM>
ALWI void reduce_revert_delta(uint32_t ocb = 16) {
    reduce_uninit(ocb);
}

}  // namespace ckernel
