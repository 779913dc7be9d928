// Ema: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(ema_init, "ema");
TW_LACKS(ema_clear_previous_output, "ema");
TW_LACKS(ema_tile, "ema");

}  // namespace ckernel
