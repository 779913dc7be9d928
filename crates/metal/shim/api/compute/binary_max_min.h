// The larger or the smaller of two values.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

#define TW_EXTREME_TILE(name, code)                                                                 \
    ALWI void name##_tile_init() { tw::vector_init(tw::binary(code)); }                             \
    ALWI void name##_tile(uint32_t x, uint32_t y, uint32_t out, VectorMode mode = VectorMode::RC) { \
        tw::whole_tile(mode);                                                                       \
        tw::vector(tw::binary(code), x, y, out);                                                    \
    }

TW_EXTREME_TILE(binary_max, TW_BINARY_MAX)
TW_EXTREME_TILE(binary_min, TW_BINARY_MIN)
TW_LACKS_TILE(binary_max_int32);
TW_LACKS_TILE(binary_min_int32);
TW_LACKS_TILE(binary_max_uint32);
TW_LACKS_TILE(binary_min_uint32);

}  // namespace ckernel
