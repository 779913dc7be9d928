// Shift: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(left_shift);
TW_LACKS_TILE(right_shift);

}  // namespace ckernel
