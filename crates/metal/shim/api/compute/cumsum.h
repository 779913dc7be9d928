// Cumsum.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(cumsum_tile)
TW_FUNCTION_INIT(cumsum_tile)

}  // namespace ckernel
