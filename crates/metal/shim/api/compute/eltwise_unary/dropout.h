// Values dropped at random, by the generator of each lane.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void dropout_kernel_init(uint32_t seed = 0) {
    tw::function_init<TW_HASH("dropout_tile")>();
    tw::function<0, TW_HASH("prng_seed")>(0, seed);
}
TW_FUNCTION_2(dropout_tile)

}  // namespace ckernel
