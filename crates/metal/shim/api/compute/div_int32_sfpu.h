// Div int32.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(div_int32_tile)
TW_FUNCTION_INIT(div_int32_tile)

}  // namespace ckernel
