// Bitwise: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(bitwise_and);
TW_LACKS_TILE(bitwise_or);
TW_LACKS_TILE(bitwise_xor);

}  // namespace ckernel
