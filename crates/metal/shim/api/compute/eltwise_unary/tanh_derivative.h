// Tanh derivative.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FAST(tanh_derivative_tile, false)

}  // namespace ckernel
