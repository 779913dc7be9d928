// Logsigmoid.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_BINARY(logsigmoid_tile)
TW_FUNCTION_INIT(logsigmoid_tile)

}  // namespace ckernel
