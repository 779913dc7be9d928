// Binary bitwise.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(bitwise_and_binary_tile)
TW_FUNCTION_FORMAT_BINARY(bitwise_or_binary_tile)
TW_FUNCTION_FORMAT_BINARY(bitwise_xor_binary_tile)
TW_FUNCTION_INIT_OF(binary_bitwise_tile_init, bitwise_and_binary_tile<Int32>)

}  // namespace ckernel
