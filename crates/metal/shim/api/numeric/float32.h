// fp32 as a bit pattern.

#pragma once

#include <cstdint>

inline constexpr uint32_t NEG_INF_FLOAT32 = 0xff800000;
inline constexpr uint32_t POS_INF_FLOAT32 = 0x7f800000;
inline constexpr uint32_t NAN_FLOAT32 = 0x7fffffff;
inline constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000;
inline constexpr uint32_t FLOAT32_EXPONENT_MASK = 0x7f800000;
inline constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x007fffff;
inline constexpr uint32_t FLOAT32_MAGNITUDE_MASK = 0x7fffffff;

// False for NaN, and for zeros of either sign: the host's comparison is the same.
inline bool float32_greater(uint32_t a, uint32_t b) {
    return __builtin_bit_cast(float, a) > __builtin_bit_cast(float, b);
}
