// Threshold.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(threshold_tile)
TW_FUNCTION_INIT(threshold_tile)

}  // namespace ckernel
