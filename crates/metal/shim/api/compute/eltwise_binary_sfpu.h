// Two tiles of Dst combined by the vector unit.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_BINARY(mul_binary_tile)
TW_BINARY(div_binary_tile)

#define TW_ROUNDED(name)                                                       \
    ALWI void name##_init() { tw::vector_init(tw::binary<TW_HASH(#name)>()); } \
    template <DstRoundingMode mode = DstRoundingMode::Default>                 \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out) {                     \
        if constexpr (mode == DstRoundingMode::NearestEven) {                  \
            tw::function<2, TW_HASH(#name "<RNE>")>(x, y, out);                \
        } else {                                                               \
            tw::vector(tw::binary<TW_HASH(#name)>(), x, y, out);               \
        }                                                                      \
    }

TW_ROUNDED(add_binary_tile)
TW_ROUNDED(sub_binary_tile)
TW_ROUNDED(rsub_binary_tile)

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
