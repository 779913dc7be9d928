// Addcdiv.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY_1(addcdiv_tile)
TW_FUNCTION_INIT(addcdiv_tile)

}  // namespace ckernel
