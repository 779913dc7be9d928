// Lgamma: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(lgamma_stirling);
TW_LACKS_TILE(lgamma_stirling_float);
TW_LACKS_TILE(lgamma_adjusted);

}  // namespace ckernel
