// Products of tiles. They add to what is in Dst.

#pragma once

#include "api/compute/common.h"

namespace tw {

constexpr tw_math_op matmul(bool transpose) { return {TW_MATH_MATMUL, 0, 0, 0, 0, transpose, {0, 0}}; }

}  // namespace tw

namespace ckernel {

ALWI void matmul_init(uint32_t, uint32_t, uint32_t transpose = 0, uint32_t = 0) {
    tw::configure(tw::unpack_both, tw::matmul(transpose != 0));
}
// The first operand goes to SrcB, the second to SrcA.
ALWI void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst) {
    tw::both(tw::matmul(false), in1, tile1, in0, tile0, dst);
}
// The older form says again what the init said.
ALWI void matmul_tiles(
    uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t transpose) {
    tw::both(tw::matmul(transpose != 0), in1, tile1, in0, tile0, dst);
}
ALWI void matmul_block_init(
    uint32_t in0,
    uint32_t in1,
    uint32_t transpose = 0,
    uint32_t = 1,
    uint32_t = 1,
    uint32_t = 1,
    uint32_t = 0) {
    matmul_init(in0, in1, transpose);
}
// A column of `rt` tiles of the first operand, `kt` apart, times a row of `ct` tiles of the second.
ALWI void matmul_block(
    uint32_t in0,
    uint32_t in1,
    uint32_t tile0,
    uint32_t tile1,
    uint32_t dst,
    uint32_t,
    uint32_t ct,
    uint32_t rt,
    uint32_t kt) {
    for (uint32_t row = 0; row < rt; ++row) {
        for (uint32_t column = 0; column < ct; ++column) {
            matmul_tiles(in0, in1, tile0 + row * kt, tile1 + column, dst + row * ct + column);
        }
    }
}

// Older names. The ones without `short` start up as well. As long as tt-metal had them (July 2026) they gave
// the unpackers the operands in the product's order and the ALU in the caller's, so that an fp32 first operand
// next to a bf16 second one loses digits. Kernels that call them do so on the card too.
ALWI void mm_init(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t out = 16, uint32_t transpose = 0) {
    tw_hw_configure<SrcOrder::Reverse>(in0, in1, out);
    MATH((tw_calls->configure_alu_format(TW_HERE, TW_SRC_A, in0)));
    MATH((tw_calls->configure_alu_format(TW_HERE, TW_SRC_B, in1)));
    matmul_init(in0, in1, transpose);
}
ALWI void mm_init_short(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t transpose = 0) {
    matmul_init(in0, in1, transpose);
}
ALWI void mm_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t, uint32_t transpose = 0) {
    tw::set_source_format(TW_SRC_A, in1);
    matmul_init(in0, in1, transpose);
}
ALWI void mm_block_init(
    uint32_t in0,
    uint32_t in1,
    uint32_t out,
    uint32_t transpose = 0,
    uint32_t = 1,
    uint32_t = 1,
    uint32_t = 1) {
    mm_init(in0, in1, out, transpose);
}
ALWI void mm_block_init_short(
    uint32_t in0, uint32_t in1, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    matmul_init(in0, in1, transpose);
}
ALWI void mm_block_init_short_with_dt(
    uint32_t in0, uint32_t in1, uint32_t, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tw::set_source_format(TW_SRC_A, in1);
    matmul_init(in0, in1, transpose);
}
ALWI void mm_block_init_short_with_both_dt(
    uint32_t in0,
    uint32_t in1,
    uint32_t,
    uint32_t,
    uint32_t transpose = 0,
    uint32_t = 1,
    uint32_t = 1,
    uint32_t = 1) {
    tw::set_source_format(TW_SRC_A, in1);
    tw::set_source_format(TW_SRC_B, in0);
    matmul_init(in0, in1, transpose);
}

}  // namespace ckernel
