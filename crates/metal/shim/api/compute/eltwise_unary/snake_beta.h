// Snake beta.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY(snake_beta_tile)
TW_FUNCTION_INIT(snake_beta_tile)

}  // namespace ckernel
