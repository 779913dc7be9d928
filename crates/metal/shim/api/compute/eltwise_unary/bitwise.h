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

}  // namespace ckernel
