// Prelu.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(prelu_tile)
TW_FUNCTION_INIT(prelu_tile)

}  // namespace ckernel
