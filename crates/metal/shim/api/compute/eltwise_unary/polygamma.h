// Derivatives of the digamma function.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void polygamma_tile(uint32_t dst, uint32_t order, uint32_t scale) {
    tw::accurate(false, "polygamma_tile with math_approx_mode");
    tw::function<1, TW_HASH("polygamma_tile")>(dst, dst, order, scale);
}
TW_FUNCTION_INIT(polygamma_tile)

}  // namespace ckernel
