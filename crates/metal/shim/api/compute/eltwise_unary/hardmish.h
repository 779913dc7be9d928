// Hardmish.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(hardmish_tile)
TW_FUNCTION_INIT(hardmish_tile)

}  // namespace ckernel
