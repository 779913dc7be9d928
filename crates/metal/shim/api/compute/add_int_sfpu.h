// Add int.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(add_int_tile)
TW_FUNCTION_INIT(add_int_tile)

}  // namespace ckernel
