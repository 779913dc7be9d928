// Addcmul.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY_1(addcmul_tile)
TW_FUNCTION_INIT(addcmul_tile)

}  // namespace ckernel
