// Binary remainder.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(remainder_int32_tile)
TW_FUNCTION_INIT(remainder_int32_tile)
TW_FUNCTION_BINARY(remainder_uint32_tile)
TW_FUNCTION_INIT(remainder_uint32_tile)
TW_FUNCTION_BINARY(remainder_binary_tile)
TW_FUNCTION_INIT(remainder_binary_tile)

}  // namespace ckernel
