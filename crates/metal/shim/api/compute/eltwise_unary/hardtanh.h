// Hardtanh.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(hardtanh_tile)
TW_FUNCTION_INIT(hardtanh_tile)
TW_LACKS(hardtanh_tile_pack, "hardtanh");
TW_LACKS(hardtanh_tile_init_pack, "hardtanh");

}  // namespace ckernel
