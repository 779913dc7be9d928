// Bitwise not.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(bitwise_not_tile)
TW_FUNCTION_INIT(bitwise_not_tile)

}  // namespace ckernel
