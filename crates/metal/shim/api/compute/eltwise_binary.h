// Two tiles combined by the matrix unit: add, subtract, multiply.

#pragma once

#include "api/compute/common.h"

namespace tw {

ALWI void elementwise_init(tw_math_op math, std::source_location tw_at) {
    MATH((tw_calls->configure_math(TW_HERE, math)));
    UNPACK((tw_calls->configure_unpack(TW_HERE, tw::unpack_both)));
}
ALWI void elementwise_tiles(
    tw_math_op math,
    uint32_t icb0,
    uint32_t icb1,
    uint32_t tile0,
    uint32_t tile1,
    uint32_t dst,
    std::source_location tw_at) {
    UNPACK((tw_calls->unpack(TW_HERE, tw::unpack_both, icb0, tile0, icb1, tile1)));
    MATH((tw_calls->compute(TW_HERE, math, dst)));
}

}  // namespace tw

namespace ckernel {

ALWI void add_init(uint32_t, uint32_t, bool acc_to_dest = false, TW_AT) {
    tw::elementwise_init(tw::elementwise(TW_ADD, TW_BCAST_NONE, acc_to_dest), tw_at);
}
ALWI void sub_init(uint32_t, uint32_t, bool acc_to_dest = false, TW_AT) {
    tw::elementwise_init(tw::elementwise(TW_SUB, TW_BCAST_NONE, acc_to_dest), tw_at);
}
ALWI void mul_init(uint32_t, uint32_t, bool acc_to_dest = true, TW_AT) {
    tw::elementwise_init(tw::elementwise(TW_MUL, TW_BCAST_NONE, acc_to_dest), tw_at);
}
ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, TW_AT) {
    tw::elementwise_tiles(tw::elementwise(TW_ADD, TW_BCAST_NONE, false), icb0, icb1, tile0, tile1, dst, tw_at);
}
ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, TW_AT) {
    tw::elementwise_tiles(tw::elementwise(TW_SUB, TW_BCAST_NONE, false), icb0, icb1, tile0, tile1, dst, tw_at);
}
ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, TW_AT) {
    tw::elementwise_tiles(tw::elementwise(TW_MUL, TW_BCAST_NONE, true), icb0, icb1, tile0, tile1, dst, tw_at);
}

}  // namespace ckernel
