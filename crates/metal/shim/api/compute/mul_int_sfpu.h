// Mul int: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(mul_int);

}  // namespace ckernel
