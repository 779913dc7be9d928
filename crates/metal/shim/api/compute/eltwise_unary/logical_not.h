// Logical not: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(logical_not);

}  // namespace ckernel
