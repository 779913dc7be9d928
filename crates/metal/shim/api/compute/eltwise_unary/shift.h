// Shift.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_1(left_shift_tile)
TW_FUNCTION_INIT(left_shift_tile)
TW_FUNCTION_FORMAT_1(right_shift_tile)
TW_FUNCTION_INIT(right_shift_tile)
// Older kernels do not say that they mean Int32.
ALWI void left_shift_tile(uint32_t dst, uint32_t a) { left_shift_tile<DataFormat::Int32>(dst, a); }
ALWI void right_shift_tile(uint32_t dst, uint32_t a) { right_shift_tile<DataFormat::Int32>(dst, a); }

}  // namespace ckernel
