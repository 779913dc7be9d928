// Binary shift: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(binary_left_shift_tile, "binary shift");
TW_LACKS(binary_right_shift_tile, "binary shift");
TW_LACKS(binary_logical_right_shift_tile, "binary shift");
TW_LACKS(binary_shift_tile_init, "binary shift");

}  // namespace ckernel
