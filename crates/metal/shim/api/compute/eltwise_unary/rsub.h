// Rsub.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(rsub_tile)
TW_FUNCTION_INIT(rsub_tile)
TW_FUNCTION_1(rsub_unary_int32_tile)
TW_FUNCTION_INIT(rsub_unary_int32_tile)

}  // namespace ckernel
