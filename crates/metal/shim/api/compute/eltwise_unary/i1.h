// I1.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(i1_tile)
TW_FUNCTION_INIT(i1_tile)

}  // namespace ckernel
