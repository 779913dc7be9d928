// Logical not.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT(logical_not_tile)
TW_FUNCTION_INIT(logical_not_tile)

}  // namespace ckernel
