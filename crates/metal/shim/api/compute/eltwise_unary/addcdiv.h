// Addcdiv.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY_1(addcdiv_tile)
ALWI void addcdiv_tile_init() {
#ifdef ARCH_BLACKHOLE
    // There it leaves out the constant that the function needs.
    tw::accurate(false, "addcdiv_tile_init with math_approx_mode");
#endif
    tw::function_init<TW_HASH("addcdiv_tile")>();
}

}  // namespace ckernel
