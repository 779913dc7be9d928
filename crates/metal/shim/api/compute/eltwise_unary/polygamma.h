// Derivatives of the digamma function.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(polygamma_tile)
TW_FUNCTION_INIT(polygamma_tile)

}  // namespace ckernel
