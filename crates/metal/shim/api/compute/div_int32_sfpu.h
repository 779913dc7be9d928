// Div int32: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(div_int32);

}  // namespace ckernel
