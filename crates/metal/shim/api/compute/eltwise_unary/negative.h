// Minus each value.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_UNARY_TILE(negative, TW_UNARY_NEGATIVE)
TW_LACKS(negative_tile_int32, "integer tiles");

}  // namespace ckernel
