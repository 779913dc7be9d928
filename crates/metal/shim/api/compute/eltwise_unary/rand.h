// Rand: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(rand);

}  // namespace ckernel
