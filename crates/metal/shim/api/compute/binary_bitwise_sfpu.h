// Binary bitwise: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(bitwise_and_binary_tile, "binary bitwise");
TW_LACKS(bitwise_or_binary_tile, "binary bitwise");
TW_LACKS(bitwise_xor_binary_tile, "binary bitwise");
TW_LACKS(binary_bitwise_tile_init, "binary bitwise");

}  // namespace ckernel
