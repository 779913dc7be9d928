// Two tiles of which the second is one row, one column or one value; and such a tile alone.

#pragma once

#include "api/compute/common.h"

namespace tw {

// 32-bit values go to Dst through SrcA, others through SrcB, which is 19 bits wide.
ALWI uint8_t broadcast_source([[maybe_unused]] uint32_t icb) {
#ifdef TRISC_PACK
    return TW_SRC_B;
#else
    const DataFormat format = static_cast<DataFormat>(unpack_dst_format[icb]);
    const bool is_wide = format == DataFormat::Float32 || format == DataFormat::UInt32 || format == DataFormat::Int32;
    return is_wide ? TW_SRC_A : TW_SRC_B;
#endif
}
constexpr tw_math_op broadcast(ckernel::BroadcastType type, uint8_t source) {
    return {TW_MATH_BROADCAST, 0, code_of(type), source, 0, 0, {0, 0}};
}

}  // namespace tw

namespace ckernel {

template <BroadcastType type>
ALWI void unary_bcast_init(uint32_t icb) {
    const uint8_t source = tw::broadcast_source(icb);
    tw::configure(tw::unpack_to(source), tw::broadcast(type, source));
}
// The older form starts up as well.
template <BroadcastType type>
ALWI void unary_bcast_init(uint32_t icb, uint32_t ocb) {
    tw_hw_configure(icb, icb, ocb);
    unary_bcast_init<type>(icb);
}
template <BroadcastType type>
ALWI void unary_bcast(uint32_t icb, uint32_t tile, uint32_t dst) {
    const uint8_t source = tw::broadcast_source(icb);
    tw::one(tw::unpack_to(source), tw::broadcast(type, source), icb, tile, dst);
}
// Leaves the unpacker and the matrix unit as a plain copy needs them.
template <BroadcastType type>
ALWI void unary_bcast_uninit(uint32_t) {
    tw::configure(tw::unpack_one, tw::math_copy);
}

template <EltwiseBinaryType op, BroadcastType type>
ALWI void bcast_init(uint32_t, uint32_t) {
    tw::configure(tw::unpack_both, tw::elementwise(tw::code_of(op), tw::code_of(type)));
}
// The older form starts up as well.
template <EltwiseBinaryType op, BroadcastType type>
ALWI void init_bcast(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    tw_hw_configure(icb0, icb1, ocb);
    bcast_init<op, type>(icb0, icb1);
}
template <EltwiseBinaryType op, BroadcastType type>
ALWI void any_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t row = 0) {
    tw::require(row == 0, "a broadcast of a row other than the first");
    tw::both(tw::elementwise(tw::code_of(op), tw::code_of(type)), icb0, tile0, icb1, tile1, dst);
}

#define TW_BROADCASTS(name, op)                                                                          \
    template <BroadcastType type>                                                                        \
    ALWI void name##_tiles_bcast(                                                                        \
        uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t row = 0) {  \
        any_tiles_bcast<EltwiseBinaryType::op, type>(icb0, icb1, tile0, tile1, dst, row);                \
    }                                                                                                    \
    ALWI void name##_tiles_bcast_rows(                                                                   \
        uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t row = 0) {  \
        any_tiles_bcast<EltwiseBinaryType::op, BroadcastType::ROW>(icb0, icb1, tile0, tile1, dst, row);  \
    }                                                                                                    \
    ALWI void name##_tiles_bcast_cols(                                                                   \
        uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst) {                    \
        any_tiles_bcast<EltwiseBinaryType::op, BroadcastType::COL>(icb0, icb1, tile0, tile1, dst, 0);    \
    }                                                                                                    \
    ALWI void name##_tiles_bcast_scalar(                                                                 \
        uint32_t icb0, uint32_t icb1, uint32_t tile0, uint32_t tile1, uint32_t dst) {                    \
        any_tiles_bcast<EltwiseBinaryType::op, BroadcastType::SCALAR>(icb0, icb1, tile0, tile1, dst, 0); \
    }                                                                                                    \
    ALWI void name##_bcast_rows_init(uint32_t a, uint32_t b) {                                           \
        bcast_init<EltwiseBinaryType::op, BroadcastType::ROW>(a, b);                                     \
    }                                                                                                    \
    ALWI void name##_bcast_cols_init(uint32_t a, uint32_t b) {                                           \
        bcast_init<EltwiseBinaryType::op, BroadcastType::COL>(a, b);                                     \
    }                                                                                                    \
    ALWI void name##_bcast_scalar_init(uint32_t a, uint32_t b) {                                         \
        bcast_init<EltwiseBinaryType::op, BroadcastType::SCALAR>(a, b);                                  \
    }                                                                                                    \
    ALWI void name##_bcast_rows_init_short(uint32_t a, uint32_t b) { name##_bcast_rows_init(a, b); }     \
    ALWI void name##_bcast_cols_init_short(uint32_t a, uint32_t b) { name##_bcast_cols_init(a, b); }     \
    ALWI void name##_bcast_scalar_init_short(uint32_t a, uint32_t b) { name##_bcast_scalar_init(a, b); } \
    ALWI void name##_tiles_bcast_scalar_init_short(uint32_t a, uint32_t b) {                             \
        name##_bcast_scalar_init(a, b);                                                                  \
    }

TW_BROADCASTS(add, ELWADD)
TW_BROADCASTS(sub, ELWSUB)
TW_BROADCASTS(mul, ELWMUL)

}  // namespace ckernel
