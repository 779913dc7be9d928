// Softcap. tt-metal has it on Blackhole alone.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_2(softcap_tile)
TW_FUNCTION_INIT(softcap_tile)

}  // namespace ckernel
