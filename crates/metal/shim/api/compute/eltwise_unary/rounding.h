// Rounding: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(rounding_op_tile_init, "rounding");
TW_LACKS(ceil_tile, "rounding");
TW_LACKS(floor_tile, "rounding");
TW_LACKS(trunc_tile, "rounding");
TW_LACKS(round_tile, "rounding");
TW_LACKS(stochastic_round_tile, "rounding");
TW_LACKS(frac_tile, "rounding");

}  // namespace ckernel
