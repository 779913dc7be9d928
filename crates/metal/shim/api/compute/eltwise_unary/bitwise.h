// Bitwise.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_1(bitwise_and_tile)
TW_FUNCTION_INIT(bitwise_and_tile)
TW_FUNCTION_FORMAT_1(bitwise_or_tile)
TW_FUNCTION_INIT(bitwise_or_tile)
TW_FUNCTION_FORMAT_1(bitwise_xor_tile)
TW_FUNCTION_INIT(bitwise_xor_tile)
// Older kernels do not say that they mean Int32.
ALWI void bitwise_and_tile(uint32_t dst, uint32_t a) { bitwise_and_tile<DataFormat::Int32>(dst, a); }
ALWI void bitwise_or_tile(uint32_t dst, uint32_t a) { bitwise_or_tile<DataFormat::Int32>(dst, a); }
ALWI void bitwise_xor_tile(uint32_t dst, uint32_t a) { bitwise_xor_tile<DataFormat::Int32>(dst, a); }

}  // namespace ckernel
