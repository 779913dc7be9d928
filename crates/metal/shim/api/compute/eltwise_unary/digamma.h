// Digamma.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(digamma_tile)
TW_FUNCTION_INIT(digamma_tile)

}  // namespace ckernel
