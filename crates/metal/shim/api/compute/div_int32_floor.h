// Div int32 floor: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(div_int32_floor);
TW_LACKS_TILE(div_int32_trunc);

}  // namespace ckernel
