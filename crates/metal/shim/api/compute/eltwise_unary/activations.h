// Activations: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(hardsigmoid);
TW_LACKS(hardsigmoid_tile_pack, "activations");
TW_LACKS(hardsigmoid_tile_init_pack, "activations");
TW_LACKS_TILE(softsign);
TW_LACKS_TILE(celu);
TW_LACKS_TILE(softshrink);
TW_LACKS_TILE(hardshrink);

}  // namespace ckernel
