// Fmod.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(fmod_tile)
TW_FUNCTION_INIT_2(fmod_tile)
// Older kernels give the divisor and its reciprocal with each tile.
ALWI void fmod_tile_init() { tw::function_init<TW_HASH("fmod_tile")>(); }
ALWI void fmod_tile(uint32_t dst, uint32_t divisor, uint32_t reciprocal) {
    tw::init_scalars(divisor, reciprocal);
    fmod_tile(dst);
}

}  // namespace ckernel
