// Rdiv.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

template <RoundingMode rounding = RoundingMode::None>
ALWI void rdiv_tile(uint32_t dst, uint32_t value, tw::faces mode = VectorMode::RC) {
    tw::whole_tile(mode);
    tw::accurate(false, "rdiv_tile with math_approx_mode");
    if constexpr (rounding == RoundingMode::Trunc) {
        tw::function<1, TW_HASH("rdiv_tile<Trunc>")>(dst, dst, value);
    } else if constexpr (rounding == RoundingMode::Floor) {
        tw::function<1, TW_HASH("rdiv_tile<Floor>")>(dst, dst, value);
    } else {
        tw::function<1, TW_HASH("rdiv_tile")>(dst, dst, value);
    }
}
TW_FUNCTION_INIT(rdiv_tile)

}  // namespace ckernel
