// Atan2: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(atan2_binary);

}  // namespace ckernel
