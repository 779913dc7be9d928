// Div int32 floor.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(div_int32_floor_tile)
TW_FUNCTION_INIT(div_int32_floor_tile)
TW_FUNCTION_BINARY(div_int32_trunc_tile)
TW_FUNCTION_INIT(div_int32_trunc_tile)

}  // namespace ckernel
