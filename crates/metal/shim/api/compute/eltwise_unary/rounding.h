// Rounding.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_INIT_OF(rounding_op_tile_init, floor_tile)
TW_FUNCTION(ceil_tile)
TW_FUNCTION(floor_tile)
TW_FUNCTION(trunc_tile)
TW_FUNCTION_1(round_tile)
TW_LACKS(stochastic_round_tile, "rounding");
TW_FUNCTION(frac_tile)

}  // namespace ckernel
