// Trigonometry: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(sin);
TW_LACKS_TILE(cos);
TW_LACKS_TILE(acosh);
TW_LACKS_TILE(tan);
TW_LACKS_TILE(asinh);
TW_LACKS_TILE(atanh);
TW_LACKS_TILE(asin);
TW_LACKS_TILE(atan);
TW_LACKS_TILE(acos);
TW_LACKS_TILE(cosh);
TW_LACKS_TILE(sinh);

}  // namespace ckernel
