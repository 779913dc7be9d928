// Exponential moving averages down the columns of tiles, from a tile of Dst to the next.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void ema_init(uint32_t alpha, uint32_t beta) {
    tw::function_init<TW_HASH("ema_tile")>();
    tw::function<0, TW_HASH("ema_factors")>(0, alpha, beta);
}
ALWI void ema_clear_previous_output() { tw::function<0, TW_HASH("ema_clear_previous_output")>(0); }
ALWI void ema_tile(uint32_t dst) { tw::function<2, TW_HASH("ema_tile")>(dst, dst + 1, dst); }

}  // namespace ckernel
