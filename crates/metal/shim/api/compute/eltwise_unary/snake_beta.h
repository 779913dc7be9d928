// Snake beta.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY(snake_beta_tile)
ALWI void snake_beta_tile_init() {
#ifdef ARCH_BLACKHOLE
    // There it leaves out the constant that the function needs.
    tw::accurate(false, "snake_beta_tile_init with math_approx_mode");
#endif
    tw::function_init<TW_HASH("snake_beta_tile")>();
}

}  // namespace ckernel
