// Where.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY(where_tile)
TW_FUNCTION_INIT(where_tile)

}  // namespace ckernel
