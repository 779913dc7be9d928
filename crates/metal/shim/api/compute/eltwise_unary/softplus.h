// Softplus.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_3(softplus_tile)
TW_FUNCTION_INIT(softplus_tile)
TW_LACKS(softplus_tile_pack, "softplus");
TW_LACKS(softplus_tile_init_pack, "softplus");

}  // namespace ckernel
