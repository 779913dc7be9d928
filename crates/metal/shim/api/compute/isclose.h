// Whether values are close to each other.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

template <bool equal_nan = false>
ALWI void isclose_binary_tile(uint32_t x, uint32_t y, uint32_t out, uint32_t rtol, uint32_t atol) {
    constexpr uint32_t hash =
        equal_nan ? TW_HASH("isclose_binary_tile<true>") : TW_HASH("isclose_binary_tile");
    tw::function<2, hash>(x, y, out, rtol, atol);
}
TW_FUNCTION_INIT(isclose_binary_tile)

}  // namespace ckernel
