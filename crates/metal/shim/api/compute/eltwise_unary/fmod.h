// Fmod.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(fmod_tile)
TW_FUNCTION_INIT(fmod_tile)

}  // namespace ckernel
