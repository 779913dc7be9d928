// Xielu.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(xielu_tile)
TW_FUNCTION_INIT(xielu_tile)

}  // namespace ckernel
