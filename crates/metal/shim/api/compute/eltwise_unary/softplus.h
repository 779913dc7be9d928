// Softplus: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(softplus);
TW_LACKS(softplus_tile_pack, "softplus");
TW_LACKS(softplus_tile_init_pack, "softplus");

}  // namespace ckernel
