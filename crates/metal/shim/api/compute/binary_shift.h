// Binary shift.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(binary_left_shift_tile)
TW_FUNCTION_FORMAT_BINARY(binary_right_shift_tile)
TW_FUNCTION_FORMAT_BINARY(binary_logical_right_shift_tile)
TW_FUNCTION_INIT_OF(binary_shift_tile_init, binary_left_shift_tile<Int32>)

}  // namespace ckernel
