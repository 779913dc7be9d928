// Sfpu binary bcast.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

#define TW_BCAST(op, side)                                                       \
    TW_FUNCTION_INIT_OF(sfpu_##op##_bcast_##side##_init, sfpu_##op##_bcast_##side) \
    ALWI void sfpu_##op##_bcast_##side(uint32_t data, uint32_t vector) {         \
        constexpr uint32_t hash = TW_HASH("sfpu_" #op "_bcast_" #side);          \
        tw::function<2, hash>(data, vector, data);                               \
    }

TW_BCAST(add, col)
TW_BCAST(sub, col)
TW_BCAST(mul, col)
TW_BCAST(add, row)
TW_BCAST(sub, row)
TW_BCAST(mul, row)
TW_FUNCTION_INIT_OF(sfpu_bcast_col_init, sfpu_add_bcast_col)
TW_FUNCTION_INIT_OF(sfpu_bcast_row_init, sfpu_add_bcast_row)

template <BroadcastType dim>
ALWI void sfpu_bcast_init() {
    if constexpr (dim == BroadcastType::COL) {
        sfpu_bcast_col_init();
    } else {
        sfpu_bcast_row_init();
    }
}
template <BroadcastType dim, EltwiseBinaryType op>
ALWI void sfpu_bcast(uint32_t data, uint32_t vector) {
    constexpr bool is_column = dim == BroadcastType::COL;
    if constexpr (op == EltwiseBinaryType::ELWADD) {
        is_column ? sfpu_add_bcast_col(data, vector) : sfpu_add_bcast_row(data, vector);
    } else if constexpr (op == EltwiseBinaryType::ELWSUB) {
        is_column ? sfpu_sub_bcast_col(data, vector) : sfpu_sub_bcast_row(data, vector);
    } else {
        is_column ? sfpu_mul_bcast_col(data, vector) : sfpu_mul_bcast_row(data, vector);
    }
}

#undef TW_BCAST

}  // namespace ckernel
