// Xlogy.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(xlogy_binary_tile)
TW_FUNCTION_INIT(xlogy_binary_tile)

}  // namespace ckernel
