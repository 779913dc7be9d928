// Elu.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(elu_tile)
TW_FUNCTION_INIT(elu_tile)

}  // namespace ckernel
