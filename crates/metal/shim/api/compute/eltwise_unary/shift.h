// Shift.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_1(left_shift_tile)
TW_FUNCTION_INIT(left_shift_tile)
TW_FUNCTION_FORMAT_1(right_shift_tile)
TW_FUNCTION_INIT(right_shift_tile)

}  // namespace ckernel
