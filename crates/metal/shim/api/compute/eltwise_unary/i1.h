// I1.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void i1_tile(uint32_t dst) {
    tw::accurate(false, "i1_tile with math_approx_mode");
    tw::function<1, TW_HASH("i1_tile")>(dst, dst);
}
TW_FUNCTION_INIT(i1_tile)

}  // namespace ckernel
