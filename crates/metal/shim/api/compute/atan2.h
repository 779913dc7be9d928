// Atan2.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void atan2_binary_tile(uint32_t x, uint32_t y, uint32_t out) {
    // With a 16-bit Dst it is the same.
    MATH((tw::accurate(!DST_ACCUM_MODE, "atan2_binary_tile with math_approx_mode and a 32-bit Dst")));
    tw::function<2, TW_HASH("atan2_binary_tile")>(x, y, out);
}
TW_FUNCTION_INIT(atan2_binary_tile)

}  // namespace ckernel
