// Two tiles combined by the matrix unit: add, subtract, multiply.

#pragma once

#include "api/compute/common.h"

namespace tw {

// Dst goes to one source, so that the operand goes to the other.
constexpr tw_unpack_op reuse_unpack(ckernel::EltwiseBinaryReuseDestType reuse) {
    return unpack_to(reuse == ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCA ? TW_SRC_B : TW_SRC_A);
}
constexpr tw_math_op reuse_math(ckernel::EltwiseBinaryType op, ckernel::EltwiseBinaryReuseDestType reuse) {
    const uint8_t source = reuse == ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCA ? TW_SRC_A : TW_SRC_B;
    return {TW_MATH_ELEMENTWISE, code_of(op), TW_BCAST_NONE, source, 0, 0, {0, 0}};
}

}  // namespace tw

namespace ckernel {

template <bool full_init, EltwiseBinaryType op>
ALWI void binary_tiles_init(uint32_t, uint32_t, bool acc_to_dest = false, uint32_t = 0) {
    MATH((tw_calls->configure_math(TW_HERE, tw::elementwise(tw::code_of(op), TW_BCAST_NONE, acc_to_dest))));
    if constexpr (full_init) {
        UNPACK((tw_calls->configure_unpack(TW_HERE, tw::unpack_both)));
    }
}

#define TW_ELEMENTWISE(name, op, enum_op, accumulates)                                                       \
    ALWI void name##_init(uint32_t, uint32_t, bool acc_to_dest = accumulates, uint32_t = 0) {                \
        tw::configure(tw::unpack_both, tw::elementwise(op, TW_BCAST_NONE, acc_to_dest));                     \
    }                                                                                                        \
    ALWI void name##_tiles_init(uint32_t = 0, uint32_t = 1, bool acc_to_dest = accumulates, uint32_t = 0) {  \
        tw::configure(tw::unpack_both, tw::elementwise(op, TW_BCAST_NONE, acc_to_dest));                     \
    }                                                                                                        \
    ALWI void name##_tiles(uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst) {     \
        tw::both(tw::elementwise(op, TW_BCAST_NONE), icb0, tile0, icb1, tile1, dst);                         \
    }                                                                                                        \
    ALWI void name##_block(                                                                                  \
        uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t tiles) {        \
        for (uint32_t i = 0; i < tiles; ++i) {                                                               \
            name##_tiles(icb0, icb1, tile0 + i, tile1 + i, dst + i);                                         \
        }                                                                                                    \
    }                                                                                                        \
    template <EltwiseBinaryReuseDestType reuse>                                                              \
    ALWI void name##_reuse_dest_init(uint32_t, uint32_t = 0) {                                                \
        tw::configure(tw::reuse_unpack(reuse), tw::reuse_math(EltwiseBinaryType::enum_op, reuse));           \
    }                                                                                                        \
    template <EltwiseBinaryReuseDestType reuse>                                                              \
    ALWI void name##_reuse_dest_tiles(uint32_t icb, uint32_t tile, uint32_t dst) {                           \
        tw::one(tw::reuse_unpack(reuse), tw::reuse_math(EltwiseBinaryType::enum_op, reuse), icb, tile, dst); \
    }

TW_ELEMENTWISE(add, TW_ADD, ELWADD, false)
TW_ELEMENTWISE(sub, TW_SUB, ELWSUB, false)
TW_ELEMENTWISE(mul, TW_MUL, ELWMUL, true)

template <
    EltwiseBinaryType op = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_reuse_dest_init(uint32_t, uint32_t = 0) {
    static_assert(reuse != EltwiseBinaryReuseDestType::NONE, "one of the sources takes Dst");
    tw::configure(tw::reuse_unpack(reuse), tw::reuse_math(op, reuse));
}
template <
    EltwiseBinaryType op = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_reuse_dest_tiles(uint32_t icb, uint32_t tile, uint32_t dst) {
    tw::one(tw::reuse_unpack(reuse), tw::reuse_math(op, reuse), icb, tile, dst);
}
template <
    EltwiseBinaryType op = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t icb, uint32_t = 0) {
    binary_reuse_dest_init<op, reuse>(icb);
}
template <
    EltwiseBinaryType op = EltwiseBinaryType::ELWADD,
    EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t icb, uint32_t tile, uint32_t dst) {
    binary_reuse_dest_tiles<op, reuse>(icb, tile, dst);
}

// The older start-up of kernels with two operands.
ALWI void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16, uint32_t = 0) {
    tw_hw_configure(icb0, icb1, ocb);
    UNPACK((tw_calls->configure_unpack(TW_HERE, tw::unpack_both)));
}

// The older name of an operation's init.
template <bool full_init = false, EltwiseBinaryType op = EltwiseBinaryType::ELWADD>
ALWI void binary_op_specific_init(uint32_t icb0 = 0, uint32_t icb1 = 1) {
    binary_tiles_init<full_init, op>(icb0, icb1, op == EltwiseBinaryType::ELWMUL);
}

}  // namespace ckernel
