// Bitwise not: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(bitwise_not);

}  // namespace ckernel
