// Snake beta: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(snake_beta);

}  // namespace ckernel
