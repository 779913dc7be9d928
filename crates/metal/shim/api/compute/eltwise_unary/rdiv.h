// Rdiv.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(rdiv_tile)
TW_FUNCTION_INIT(rdiv_tile)

}  // namespace ckernel
