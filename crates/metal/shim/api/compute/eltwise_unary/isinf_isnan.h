// Isinf isnan: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(isinf);
TW_LACKS_TILE(isposinf);
TW_LACKS_TILE(isneginf);
TW_LACKS_TILE(isnan);
TW_LACKS_TILE(isfinite);

}  // namespace ckernel
