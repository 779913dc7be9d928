// The square root of each value.

#pragma once

#include "internal/sfpu.h"

namespace tw {

constexpr tw_vector_op sqrt(bool fast) {
    return unary<TW_HASH("sqrt_tile")>((TW_APPROX_MODE ? TW_APPROX : 0) | (fast ? TW_FAST : 0));
}

}  // namespace tw

namespace ckernel {

ALWI void sqrt_tile_init() { tw::vector_init(tw::sqrt(false)); }
template <bool FAST_APPROX = false>
ALWI void sqrt_tile(uint32_t dst) {
    tw::vector(tw::sqrt(FAST_APPROX), dst, dst, dst);
}

}  // namespace ckernel
