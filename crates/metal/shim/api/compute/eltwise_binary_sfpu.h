// Two tiles of Dst combined by the vector unit.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_BINARY_TILE(mul_binary, TW_BINARY_MUL)
TW_BINARY_TILE(div_binary, TW_BINARY_DIV)

#define TW_ROUNDED_TILE(name, code)                                     \
    ALWI void name##_tile_init() { tw::vector_init(tw::binary(code)); } \
    template <DstRoundingMode mode = DstRoundingMode::Default>          \
    ALWI void name##_tile(uint32_t x, uint32_t y, uint32_t out) {       \
        if constexpr (mode == DstRoundingMode::NearestEven) {           \
            tw::function<2, TW_HASH(#name "_tile<RNE>")>(x, y, out);    \
        } else {                                                        \
            tw::vector(tw::binary(code), x, y, out);                    \
        }                                                               \
    }

TW_ROUNDED_TILE(add_binary, TW_BINARY_ADD)
TW_ROUNDED_TILE(sub_binary, TW_BINARY_SUB)
TW_ROUNDED_TILE(rsub_binary, TW_BINARY_RSUB)

TW_FUNCTION_BINARY(power_binary_tile)
TW_FUNCTION_INIT(power_binary_tile)
TW_FUNCTION_BINARY(eq_binary_tile)
TW_FUNCTION_INIT(eq_binary_tile)
TW_FUNCTION_BINARY(ne_binary_tile)
TW_FUNCTION_INIT(ne_binary_tile)
TW_FUNCTION_BINARY(lt_binary_tile)
TW_FUNCTION_INIT(lt_binary_tile)
TW_FUNCTION_BINARY(gt_binary_tile)
TW_FUNCTION_INIT(gt_binary_tile)
TW_FUNCTION_BINARY(le_binary_tile)
TW_FUNCTION_INIT(le_binary_tile)
TW_FUNCTION_BINARY(ge_binary_tile)
TW_FUNCTION_INIT(ge_binary_tile)

}  // namespace ckernel
