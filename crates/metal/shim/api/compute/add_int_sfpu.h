// Add int: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(add_int);

}  // namespace ckernel
