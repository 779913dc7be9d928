// Clamp: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(clamp);
TW_LACKS(clamp_tile_int32, "clamp");

}  // namespace ckernel
