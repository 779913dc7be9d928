// Log1p: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(log1p);

}  // namespace ckernel
