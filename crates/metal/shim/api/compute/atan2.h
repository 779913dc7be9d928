// Atan2.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(atan2_binary_tile)
TW_FUNCTION_INIT(atan2_binary_tile)

}  // namespace ckernel
