// Rpow.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(rpow_tile)
TW_FUNCTION_INIT(rpow_tile)

}  // namespace ckernel
