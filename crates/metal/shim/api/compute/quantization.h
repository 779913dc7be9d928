// Conversions between floats and scaled integers. The init takes the zero point.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

#define TW_QUANT(name)                                                                              \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out) { tw::function<2, TW_HASH(#name)>(x, y, out); } \
    ALWI void name##_init(uint32_t zero_point) {                                                    \
        tw::function_init<TW_HASH(#name)>();                                                        \
        tw::init_scalars(zero_point);                                                               \
    }

TW_QUANT(quant_tile)
TW_QUANT(requant_tile)
TW_QUANT(dequant_tile)
TW_LACKS(quant_uint8_tile_init, "quantisation to UInt8");
TW_LACKS(requant_uint8_tile_init, "quantisation to UInt8");

#undef TW_QUANT

}  // namespace ckernel
