// Minus each value.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_UNARY_TILE(negative, TW_UNARY_NEGATIVE)
TW_FUNCTION(negative_tile_int32)

}  // namespace ckernel
