// How functions of the vector unit are written in terms of the table. Math does them.

#pragma once

#include "api/compute/common_globals.h"
#include "internal/function_name.h"

#ifdef TRISC_MATH
#define TW_APPROX_MODE APPROX
#else
#define TW_APPROX_MODE false
#endif

namespace tw {

template <uint32_t hash>
constexpr tw_vector_op unary(uint8_t flags = 0, uint32_t scalar = 0) {
    return {TW_VECTOR_UNARY, 0, flags, 0, hash, scalar};
}
template <uint32_t hash>
constexpr tw_vector_op binary() {
    return {TW_VECTOR_BINARY, 0, 0, 0, hash, 0};
}

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
template <uint32_t hash>
ALWI void function_init() {
    MATH((tw_calls->configure_vector(TW_HERE, tw_vector_op{TW_VECTOR_FUNCTION, 0, 0, 0, hash, 0})));
}
template <uint32_t tiles, uint32_t hash, typename... Words>
ALWI void function([[maybe_unused]] Words... given) {
    MATH(({
        const uint32_t words[] = {static_cast<uint32_t>(given)...};
        tw_calls->function(TW_HERE, hash, words, tiles, sizeof...(given) - tiles - 1);
    }));
}
// The same with scalars in an array, of a tile and perhaps the next.
template <uint32_t tiles, uint32_t hash, uint32_t scalars>
ALWI void function_of_words(
    [[maybe_unused]] uint32_t dst, [[maybe_unused]] const uint32_t (&given)[scalars]) {
    MATH(({
        uint32_t words[tiles + 1 + scalars];
        for (uint32_t i = 0; i < tiles; ++i) {
            words[i] = dst + i;
        }
        words[tiles] = dst;
        for (uint32_t i = 0; i < scalars; ++i) {
            words[tiles + 1 + i] = given[i];
        }
        tw_calls->function(TW_HERE, hash, words, tiles, scalars);
    }));
}
// Scalars that an init leaves for its function.
ALWI void init_scalars(uint32_t a, uint32_t b = 0, uint32_t c = 0) {
    function<0, function_name{"init_scalars"}.hash>(0, a, b, c);
}
#ifdef TRISC_MATH
// Leaves a constant in a programmable register, as an init does.
template <uint32_t bits>
ALWI void set_constant(uint32_t to) {
    TTI_SFPLOADI(0, 0xA, bits & 0xffff);
    TTI_SFPLOADI(0, 0x8, bits >> 16);
    TT_SFPCONFIG(0, to, 0);
}
#endif
// A mode, which older kernels give as a number.
struct faces {
    ckernel::VectorMode mode;
    constexpr faces(ckernel::VectorMode given) : mode(given) {}
    constexpr faces(int given) : mode(static_cast<ckernel::VectorMode>(given)) {}
};
// Parts of a tile are not modelled for functions that take a mode.
ALWI void whole_tile([[maybe_unused]] faces given) {
    MATH((require(given.mode == ckernel::VectorMode::RC, "a vector function on some faces of a tile")));
}
// Variants are refused by the processor that would run them.
ALWI void variant(
    [[maybe_unused]] bool is_modelled, [[maybe_unused]] const char* what) {
    MATH((require(is_modelled, what)));
}

// `math_approx_mode` makes another function of some, for which there is no evidence.
ALWI void accurate(bool is_the_same, const char* what) { variant(!TW_APPROX_MODE || is_the_same, what); }

}  // namespace tw

// A function of one tile, in place, without variants.
#define TW_UNARY(name)                                                       \
    ALWI void name##_init() { tw::vector_init(tw::unary<TW_HASH(#name)>()); } \
    ALWI void name(uint32_t dst) { tw::vector(tw::unary<TW_HASH(#name)>(), dst, dst, dst); }

// The same with a fast variant that the machine lacks.
#define TW_UNARY_FAST(name)                                            \
    template <bool fast_and_approx = false>                            \
    ALWI void name##_init() {                                          \
        tw::variant(!fast_and_approx, #name ", fast and approximate"); \
        tw::vector_init(tw::unary<TW_HASH(#name)>());                  \
    }                                                                  \
    template <bool fast_and_approx = false>                            \
    ALWI void name(uint32_t dst) {                                     \
        tw::variant(!fast_and_approx, #name ", fast and approximate"); \
        tw::vector(tw::unary<TW_HASH(#name)>(), dst, dst, dst);        \
    }

// Two tiles of Dst to a third.
#define TW_BINARY(name)                                                        \
    ALWI void name##_init() { tw::vector_init(tw::binary<TW_HASH(#name)>()); } \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out) {                     \
        tw::vector(tw::binary<TW_HASH(#name)>(), x, y, out);                   \
    }

// Functions by name: in place with up to three scalars; of two tiles to a third.
#define TW_FUNCTION(name) \
    ALWI void name(uint32_t dst) { tw::function<1, TW_HASH(#name)>(dst, dst); }
#define TW_FUNCTION_1(name) \
    ALWI void name(uint32_t dst, uint32_t a) { tw::function<1, TW_HASH(#name)>(dst, dst, a); }
#define TW_FUNCTION_2(name)                                \
    ALWI void name(uint32_t dst, uint32_t a, uint32_t b) { \
        tw::function<1, TW_HASH(#name)>(dst, dst, a, b);   \
    }
#define TW_FUNCTION_3(name)                                            \
    ALWI void name(uint32_t dst, uint32_t a, uint32_t b, uint32_t c) { \
        tw::function<1, TW_HASH(#name)>(dst, dst, a, b, c);            \
    }
#define TW_FUNCTION_BINARY(name)                           \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out) { \
        tw::function<2, TW_HASH(#name)>(x, y, out);        \
    }
#define TW_FUNCTION_TERNARY(name)                                      \
    ALWI void name(uint32_t x, uint32_t y, uint32_t z, uint32_t out) { \
        tw::function<3, TW_HASH(#name)>(x, y, z, out);                 \
    }
// The same chosen by a data format.
#define TW_FUNCTION_FORMAT(name) \
    template <DataFormat format> \
    ALWI void name(uint32_t dst) { tw::function<1, TW_HASH(#name, format)>(dst, dst); }
#define TW_FUNCTION_FORMAT_1(name)                            \
    template <DataFormat format>                              \
    ALWI void name(uint32_t dst, uint32_t a) {                \
        tw::function<1, TW_HASH(#name, format)>(dst, dst, a); \
    }
#define TW_FUNCTION_FORMAT_BINARY(name)                     \
    template <DataFormat format>                            \
    ALWI void name(uint32_t x, uint32_t y, uint32_t out) {  \
        tw::function<2, TW_HASH(#name, format)>(x, y, out); \
    }
#define TW_FUNCTION_FORMAT_TERNARY(name)                               \
    template <DataFormat format>                                       \
    ALWI void name(uint32_t x, uint32_t y, uint32_t z, uint32_t out) { \
        tw::function<3, TW_HASH(#name, format)>(x, y, z, out);         \
    }
#define TW_FUNCTION_FORMAT_TERNARY_1(name)                                         \
    template <DataFormat format>                                                   \
    ALWI void name(uint32_t x, uint32_t y, uint32_t z, uint32_t out, uint32_t a) { \
        tw::function<3, TW_HASH(#name, format)>(x, y, z, out, a);                  \
    }
// The same in an accurate and in a fast variant.
#define TW_FUNCTION_FAST(name, is_fast)                             \
    template <bool fast_and_approx = is_fast>                       \
    ALWI void name##_init() {                                       \
        tw::function_init<TW_HASH(#name, fast_and_approx)>();       \
    }                                                               \
    template <bool fast_and_approx = is_fast>                       \
    ALWI void name(uint32_t dst) {                                  \
        tw::function<1, TW_HASH(#name, fast_and_approx)>(dst, dst); \
    }
// Their init, which leaves the function's constants.
#define TW_FUNCTION_INIT(name) \
    ALWI void name##_init() { tw::function_init<TW_HASH(#name)>(); }

// The same chosen by a data format.
#define TW_FUNCTION_FORMAT_INIT(name) \
    template <DataFormat format>      \
    ALWI void name##_init() { tw::function_init<TW_HASH(#name, format)>(); }

// An init that several functions have in common: that of one of them.
#define TW_FUNCTION_INIT_OF(init, name) \
    ALWI void init() { tw::function_init<TW_HASH(#name)>(); }

// A function whose init takes its scalars.
#define TW_FUNCTION_INIT_2(name)                            \
    ALWI void name##_init(uint32_t a, uint32_t b) {         \
        tw::function_init<TW_HASH(#name)>();                \
        tw::init_scalars(a, b);                             \
    }

// A function that is not served, with its init.
#define TW_LACKS_TILE(name)                             \
    TW_LACKS(name##_tile, "the machine has no " #name); \
    TW_LACKS(name##_tile_init, "the machine has no " #name)
