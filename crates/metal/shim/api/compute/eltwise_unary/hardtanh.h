// Hardtanh: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(hardtanh);
TW_LACKS(hardtanh_tile_pack, "hardtanh");
TW_LACKS(hardtanh_tile_init_pack, "hardtanh");

}  // namespace ckernel
