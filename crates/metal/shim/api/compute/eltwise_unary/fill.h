// One value in a whole tile.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void fill_tile_init() { tw::vector_init(tw::unary<TW_HASH("fill_tile")>()); }
ALWI void fill_tile(uint32_t dst, float value) {
    tw::vector(tw::unary<TW_HASH("fill_tile")>(0, __builtin_bit_cast(uint32_t, value)), dst, dst, dst);
}
ALWI void fill_tile_bitcast(uint32_t dst, uint32_t bits) {
    tw::vector(tw::unary<TW_HASH("fill_tile")>(0, bits), dst, dst, dst);
}
TW_FUNCTION_FORMAT_1(fill_tile_int)

}  // namespace ckernel
