// Tanhshrink.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(tanhshrink_tile)
TW_FUNCTION_INIT(tanhshrink_tile)

}  // namespace ckernel
