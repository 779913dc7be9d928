// The larger or the smaller of two values.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

#define TW_EXTREME_TILE(name, code)                                                                 \
    ALWI void name##_tile_init() { tw::vector_init(tw::binary(code)); }                             \
    ALWI void name##_tile(uint32_t x, uint32_t y, uint32_t out, tw::faces mode = VectorMode::RC) { \
        tw::whole_tile(mode);                                                                       \
        tw::vector(tw::binary(code), x, y, out);                                                    \
    }

TW_EXTREME_TILE(binary_max, TW_BINARY_MAX)
TW_EXTREME_TILE(binary_min, TW_BINARY_MIN)
TW_FUNCTION_BINARY(binary_max_int32_tile)
TW_FUNCTION_INIT(binary_max_int32_tile)
TW_FUNCTION_BINARY(binary_min_int32_tile)
TW_FUNCTION_INIT(binary_min_int32_tile)
TW_FUNCTION_BINARY(binary_max_uint32_tile)
TW_FUNCTION_INIT(binary_max_uint32_tile)
TW_FUNCTION_BINARY(binary_min_uint32_tile)
TW_FUNCTION_INIT(binary_min_uint32_tile)

}  // namespace ckernel
