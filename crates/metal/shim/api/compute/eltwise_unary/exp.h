// e to the power of each value.

#pragma once

#include "internal/sfpu.h"
// Some kernels call what lies beneath: the functions of their own tree.
#if !defined(TRISC_UNPACK) && defined(TW_WITH_FUNCTIONS) && __has_include("ckernel_sfpu_exp.h")
#include "ckernel_sfpu_exp.h"
#endif

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

template <
    bool approx = false,
    uint32_t scale = 0x3f800000,
    InputClamping clamping = InputClamping::ClampToNegative>
ALWI void exp_tile_init() {
    tw::variant(scale == 0x3f800000, "exp_tile with a scale");
    if constexpr (approx && clamping == InputClamping::None) {
        tw::function_init<TW_HASH("exp_tile<true,ClampNone>")>();
    } else {
        tw::vector_init(tw::unary<TW_HASH("exp_tile")>(approx ? TW_APPROX : 0));
    }
}
template <
    bool approx = false,
    bool scale_en = false,
    InputClamping clamping = InputClamping::ClampToNegative,
    int iterations = 8>
ALWI void exp_tile(uint32_t dst, tw::faces mode = VectorMode::RC, uint16_t = 0x3f80) {
    tw::variant(!scale_en && iterations == 8, "exp_tile with a scale, or of part of a tile");
    tw::whole_tile(mode);
    if constexpr (approx && clamping == InputClamping::None) {
        tw::function<1, TW_HASH("exp_tile<true,ClampNone>")>(dst, dst);
    } else {
        tw::vector(tw::unary<TW_HASH("exp_tile")>(approx ? TW_APPROX : 0), dst, dst, dst);
    }
}
TW_LACKS(exp_packthread_tile_init, "vector functions on the pack processor");
TW_LACKS(exp_packthread_tile, "vector functions on the pack processor");

}  // namespace ckernel
