// One over the square root of each value.

#pragma once

#include "internal/sfpu.h"

namespace tw {

ALWI tw_vector_op rsqrt(bool legacy, bool fast) {
    accurate(!legacy, "rsqrt_tile<true> with math_approx_mode");
    return unary<TW_HASH("rsqrt_tile")>(
        (TW_APPROX_MODE ? TW_APPROX : 0) | (legacy ? TW_LEGACY : 0) | (fast ? TW_FAST : 0));
}

}  // namespace tw

namespace ckernel {

template <bool legacy_compat = false>
ALWI void rsqrt_tile_init() {
    tw::vector_init(tw::rsqrt(legacy_compat, false));
}
template <bool legacy_compat = false, bool FAST_APPROX = false>
ALWI void rsqrt_tile(uint32_t dst) {
    tw::vector(tw::rsqrt(legacy_compat, FAST_APPROX), dst, dst, dst);
}

}  // namespace ckernel
