// How functions of the vector unit are written in terms of the table. Math does them.

#pragma once

#include "api/compute/common_globals.h"

#ifdef TRISC_MATH
#define TW_APPROX_MODE APPROX
#else
#define TW_APPROX_MODE false
#endif

namespace tw {

constexpr tw_vector_op unary(uint8_t code, uint8_t flags = 0, uint32_t scalar = 0) {
    return {TW_VECTOR_UNARY, code, flags, 0, scalar};
}
constexpr tw_vector_op binary(uint8_t code) { return {TW_VECTOR_BINARY, code, 0, 0, 0}; }

ALWI void vector_init([[maybe_unused]] tw_vector_op op) {
    MATH((tw_calls->configure_vector(TW_HERE, op)));
}
ALWI void vector(
    [[maybe_unused]] tw_vector_op op,
    [[maybe_unused]] uint32_t x,
    [[maybe_unused]] uint32_t y,
    [[maybe_unused]] uint32_t out) {
    MATH((tw_calls->vector(TW_HERE, op, x, y, out)));
}
// Parts of a tile are not modelled for functions that take a mode.
ALWI void whole_tile([[maybe_unused]] ckernel::VectorMode mode) {
    MATH((require(mode == ckernel::VectorMode::RC, "a vector function on some faces of a tile")));
}
// Variants are refused by the processor that would run them.
ALWI void variant(
    [[maybe_unused]] bool is_modelled, [[maybe_unused]] const char* what) {
    MATH((require(is_modelled, what)));
}

}  // namespace tw

// A function of one tile, in place, without variants.
#define TW_UNARY_TILE(name, code)                                      \
    ALWI void name##_tile_init() { tw::vector_init(tw::unary(code)); } \
    ALWI void name##_tile(uint32_t dst) { tw::vector(tw::unary(code), dst, dst, dst); }

// The same with a fast variant that the machine lacks.
#define TW_UNARY_TILE_FAST(name, code)                                      \
    template <bool fast_and_approx = false>                                 \
    ALWI void name##_tile_init() {                                          \
        tw::variant(!fast_and_approx, #name "_tile, fast and approximate"); \
        tw::vector_init(tw::unary(code));                                   \
    }                                                                       \
    template <bool fast_and_approx = false>                                 \
    ALWI void name##_tile(uint32_t dst) {                                   \
        tw::variant(!fast_and_approx, #name "_tile, fast and approximate"); \
        tw::vector(tw::unary(code), dst, dst, dst);                         \
    }

// Two tiles of Dst to a third.
#define TW_BINARY_TILE(name, code)                                      \
    ALWI void name##_tile_init() { tw::vector_init(tw::binary(code)); } \
    ALWI void name##_tile(uint32_t x, uint32_t y, uint32_t out) {       \
        tw::vector(tw::binary(code), x, y, out);                        \
    }

// A function that is not served, with its init.
#define TW_LACKS_TILE(name)                                 \
    TW_LACKS(name##_tile, "the machine has no " #name);     \
    TW_LACKS(name##_tile_init, "the machine has no " #name)
