// The larger or the smaller of two values.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

#define TW_EXTREME(name)                                                                     \
    ALWI void name##_init() { tw::vector_init(tw::binary<TW_HASH(#name)>()); }               \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out, tw::faces mode = VectorMode::RC) { \
        tw::whole_tile(mode);                                                                \
        tw::vector(tw::binary<TW_HASH(#name)>(), x, y, out);                                 \
    }

TW_EXTREME(binary_max_tile)
TW_EXTREME(binary_min_tile)
TW_FUNCTION_BINARY(binary_max_int32_tile)
TW_FUNCTION_INIT(binary_max_int32_tile)
TW_FUNCTION_BINARY(binary_min_int32_tile)
TW_FUNCTION_INIT(binary_min_int32_tile)
TW_FUNCTION_BINARY(binary_max_uint32_tile)
TW_FUNCTION_INIT(binary_max_uint32_tile)
TW_FUNCTION_BINARY(binary_min_uint32_tile)
TW_FUNCTION_INIT(binary_min_uint32_tile)

}  // namespace ckernel
