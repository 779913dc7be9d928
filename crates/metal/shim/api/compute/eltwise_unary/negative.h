// Minus each value.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_UNARY(negative_tile)
TW_FUNCTION(negative_tile_int32)

}  // namespace ckernel
