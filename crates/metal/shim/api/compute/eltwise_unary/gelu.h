// GELU. Its derivative and its tanh form are not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

template <bool fast_and_approx = true>
ALWI void gelu_tile_init() {
    tw::vector_init(tw::unary<TW_HASH("gelu_tile")>(fast_and_approx ? TW_FAST : 0));
}
template <bool fast_and_approx = true>
ALWI void gelu_tile(uint32_t dst) {
    tw::vector(tw::unary<TW_HASH("gelu_tile")>(fast_and_approx ? TW_FAST : 0), dst, dst, dst);
}
TW_LACKS(gelu_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(gelu_tile_pack, "vector functions on the pack processor");
TW_LACKS(gelu_tanh_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(gelu_tanh_tile_pack, "vector functions on the pack processor");
TW_FUNCTION(gelu_tanh_tile)
TW_FUNCTION_INIT(gelu_tanh_tile)
TW_FUNCTION_FAST(gelu_derivative_tile, false)

}  // namespace ckernel
