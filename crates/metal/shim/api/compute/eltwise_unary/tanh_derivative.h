// Tanh derivative: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(tanh_derivative);

}  // namespace ckernel
