// Erf erfc: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(erf);
TW_LACKS_TILE(erfc);

}  // namespace ckernel
