// Sub int: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(sub_int);
TW_LACKS_TILE(rsub_int);

}  // namespace ckernel
