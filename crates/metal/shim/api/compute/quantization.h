// Quantised integers: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(quant);
TW_LACKS_TILE(requant);
TW_LACKS_TILE(dequant);
TW_LACKS(quant_uint8_tile_init, "quantised integers");
TW_LACKS(requant_uint8_tile_init, "quantised integers");

}  // namespace ckernel
