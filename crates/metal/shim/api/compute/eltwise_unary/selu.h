// Selu: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(selu);
TW_LACKS(selu_tile_pack, "selu");
TW_LACKS(selu_tile_init_pack, "selu");

}  // namespace ckernel
