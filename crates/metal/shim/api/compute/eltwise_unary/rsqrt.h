// One over the square root of each value.

#pragma once

#include "internal/sfpu.h"

namespace tw {

constexpr tw_vector_op rsqrt(bool legacy, bool fast) {
    return unary(TW_UNARY_RSQRT, (TW_APPROX_MODE ? TW_APPROX : 0) | (legacy ? TW_LEGACY : 0) | (fast ? TW_FAST : 0));
}

}  // namespace tw

namespace ckernel {

template <bool legacy_compat = false>
ALWI void rsqrt_tile_init(TW_AT) {
    tw::vector_init(tw::rsqrt(legacy_compat, false), tw_at);
}
template <bool legacy_compat = false, bool FAST_APPROX = false>
ALWI void rsqrt_tile(uint32_t dst, TW_AT) {
    tw::vector(tw::rsqrt(legacy_compat, FAST_APPROX), dst, dst, dst, tw_at);
}

}  // namespace ckernel
