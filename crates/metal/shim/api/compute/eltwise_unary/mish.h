// Mish.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FAST(mish_tile, false)

}  // namespace ckernel
