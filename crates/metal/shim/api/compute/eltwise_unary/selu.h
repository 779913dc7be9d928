// Selu.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(selu_tile)
TW_FUNCTION_INIT(selu_tile)
TW_LACKS(selu_tile_pack, "selu");
TW_LACKS(selu_tile_init_pack, "selu");

}  // namespace ckernel
