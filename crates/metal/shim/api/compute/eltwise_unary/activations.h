// Activations.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(hardsigmoid_tile)
TW_FUNCTION_INIT(hardsigmoid_tile)
TW_LACKS(hardsigmoid_tile_pack, "activations");
TW_LACKS(hardsigmoid_tile_init_pack, "activations");
ALWI void softsign_tile(uint32_t dst) {
    tw::accurate(false, "softsign_tile with math_approx_mode");
    tw::function<1, TW_HASH("softsign_tile")>(dst, dst);
}
TW_FUNCTION_INIT(softsign_tile)
TW_FUNCTION_2(celu_tile)
TW_FUNCTION_INIT(celu_tile)
TW_FUNCTION_1(softshrink_tile)
TW_FUNCTION_INIT(softshrink_tile)
TW_FUNCTION_1(hardshrink_tile)
TW_FUNCTION_INIT(hardshrink_tile)

}  // namespace ckernel
