// The larger or the smaller of two values.

#pragma once

#include "internal/sfpu.h"

#ifdef TRISC_MATH
namespace tw {

// The larger or the smaller on a face, row by row (tt-metal's `calculate_binary_max_min`, without its macros).
// Its accesses use the seventh address mode, which moves nothing: of Wormhole the third of the upper ones.
template <bool is_larger>
ALWI void extremes_of_face(uint32_t x, uint32_t y, uint32_t out) {
    constexpr uint32_t tile_rows = 64, min_max = 1, still = TW_ADDRESS_MODE == 14 ? 3 : ckernel::ADDR_MOD_7;
    for (int row = 0; row < 8; ++row) {
        TT_SFPLOAD(0, 0, still, x * tile_rows);
        TT_SFPLOAD(1, 0, still, y * tile_rows);
        TTI_SFPSWAP(0, 1, 0, min_max);
        TT_SFPSTORE(is_larger ? 1 : 0, 0, still, out * tile_rows);
        TTI_INCRWC(0, 2, 0, 0);
    }
}
template <bool is_larger>
ALWI void extremes_of_faces(uint32_t x, uint32_t y, uint32_t out, ckernel::VectorMode mode) {
    ckernel::addr_mod_t{}.set(ckernel::ADDR_MOD_7);
    _llk_math_eltwise_binary_sfpu_params_(extremes_of_face<is_larger>, x, y, out, mode);
}

}  // namespace tw
#endif

namespace ckernel {

#define TW_EXTREME(name, is_larger)                                                          \
    ALWI void name##_init() { tw::vector_init(tw::binary<TW_HASH(#name)>()); }               \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out, tw::faces mode = VectorMode::RC) { \
        if (mode.mode == VectorMode::RC) {                                                   \
            tw::vector(tw::binary<TW_HASH(#name)>(), x, y, out);                             \
        } else {                                                                             \
            MATH((tw::extremes_of_faces<is_larger>(x, y, out, mode.mode)));                  \
        }                                                                                    \
    }

TW_EXTREME(binary_max_tile, true)
TW_EXTREME(binary_min_tile, false)
TW_FUNCTION_BINARY(binary_max_int32_tile)
TW_FUNCTION_INIT(binary_max_int32_tile)
TW_FUNCTION_BINARY(binary_min_int32_tile)
TW_FUNCTION_INIT(binary_min_int32_tile)
TW_FUNCTION_BINARY(binary_max_uint32_tile)
TW_FUNCTION_INIT(binary_max_uint32_tile)
TW_FUNCTION_BINARY(binary_min_uint32_tile)
TW_FUNCTION_INIT(binary_min_uint32_tile)

}  // namespace ckernel
