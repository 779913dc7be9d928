// One value in a whole tile.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void fill_tile_init(TW_AT) { tw::vector_init(tw::unary(TW_UNARY_FILL), tw_at); }
ALWI void fill_tile(uint32_t dst, float value, TW_AT) {
    tw::vector(tw::unary(TW_UNARY_FILL, 0, __builtin_bit_cast(uint32_t, value)), dst, dst, dst, tw_at);
}
ALWI void fill_tile_bitcast(uint32_t dst, uint32_t bits, TW_AT) {
    tw::vector(tw::unary(TW_UNARY_FILL, 0, bits), dst, dst, dst, tw_at);
}
TW_LACKS(fill_tile_int, "integer tiles");

}  // namespace ckernel
