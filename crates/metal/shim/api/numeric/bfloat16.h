// bfloat16 as a bit pattern.

#pragma once

#include <cstdint>

#include "tilewright/call.h"

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xff80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7f80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7fff;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;

FORCE_INLINE float bf16_to_fp32(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16); }

// To the nearest, ties to even. A NaN may become infinite, as it does on the device.
FORCE_INLINE uint16_t fp32_to_bf16(float value) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, value);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
FORCE_INLINE uint16_t fp32_to_bf16_truncate(float value) {
    return static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16);
}

struct FloatBits {
    uint16_t high16;
    uint16_t low16;

    explicit FloatBits(float value) :
        high16(static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16)),
        low16(static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value))) {}
};

// Sign and magnitude in order of value; NaN is ordered by its bits.
inline bool bfloat16_greater(uint16_t a, uint16_t b) {
    const bool a_negative = (a & BFLOAT16_SIGN_MASK) != 0;
    const bool b_negative = (b & BFLOAT16_SIGN_MASK) != 0;
    if (a_negative != b_negative) {
        return !a_negative;
    }
    return a_negative ? a < b : a > b;
}
