// Binary fmod.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(fmod_int32_tile)
TW_FUNCTION_INIT(fmod_int32_tile)
TW_FUNCTION_BINARY(fmod_binary_tile)
TW_FUNCTION_INIT(fmod_binary_tile)

}  // namespace ckernel
