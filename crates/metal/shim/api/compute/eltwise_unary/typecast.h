// Typecast.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile(uint32_t dst) {
    constexpr auto from = static_cast<DataFormat>(IN_DTYPE);
    constexpr auto to = static_cast<DataFormat>(OUT_DTYPE);
    tw::function<1, TW_HASH("typecast_tile", from, to)>(dst, dst);
}
template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init() {
    constexpr auto from = static_cast<DataFormat>(IN_DTYPE);
    constexpr auto to = static_cast<DataFormat>(OUT_DTYPE);
    tw::function_init<TW_HASH("typecast_tile", from, to)>();
}

}  // namespace ckernel
