// Fmod.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(fmod_tile)
TW_FUNCTION_INIT_2(fmod_tile)

}  // namespace ckernel
