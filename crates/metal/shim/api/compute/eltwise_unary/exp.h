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
    if constexpr (approx && clamping == InputClamping::None) {
        tw::function_init<TW_HASH("exp_tile<true,ClampNone>")>();
        if constexpr (scale != 0x3f800000) {
            // `exp_init` folds the scale into the factor of the exponent, 256 / ln 2, and leaves it in LREG12.
            constexpr float factor = 256.0f * 1.4426950408889634f * __builtin_bit_cast(float, scale);
            MATH((tw::set_constant<__builtin_bit_cast(uint32_t, factor)>(12)));
        }
    } else {
        // The accurate variant's init takes no notice of the scale.
        tw::variant(!approx || scale == 0x3f800000, "exp_tile, fast with clamped inputs, with a scale");
        tw::vector_init(tw::unary<TW_HASH("exp_tile")>(approx ? TW_APPROX : 0));
    }
}
template <
    bool approx = false,
    bool scale_en = false,
    InputClamping clamping = InputClamping::ClampToNegative,
    int iterations = 8>
ALWI void exp_tile(
    uint32_t dst, tw::faces mode = VectorMode::RC, [[maybe_unused]] uint16_t scale = 0x3f80) {
    // Once for all rows, or for each face. With clamped inputs the fast variant always does eight rows.
    constexpr bool walks = !approx || clamping == InputClamping::None;
    if (!walks || iterations != 32 || mode.mode != VectorMode::None) {
        tw::variant(iterations == 8, "exp_tile of part of a tile");
        tw::whole_tile(mode);
    }
    if constexpr (approx && clamping == InputClamping::None) {
        tw::function<1, TW_HASH("exp_tile<true,ClampNone>")>(dst, dst);
    } else if constexpr (!approx && scale_en) {
        tw::function<1, TW_HASH("exp_tile<false,scale>")>(dst, dst, scale);
    } else {
        // The fast variants take their scale from the init, and no notice of this one.
        tw::vector(tw::unary<TW_HASH("exp_tile")>(approx ? TW_APPROX : 0), dst, dst, dst);
    }
}
TW_LACKS(exp_packthread_tile_init, "vector functions on the pack processor");
TW_LACKS(exp_packthread_tile, "vector functions on the pack processor");

}  // namespace ckernel
