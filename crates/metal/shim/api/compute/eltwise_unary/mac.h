// Mac.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_TERNARY(mac_tile)
TW_FUNCTION_FORMAT_INIT(mac_tile)

}  // namespace ckernel
