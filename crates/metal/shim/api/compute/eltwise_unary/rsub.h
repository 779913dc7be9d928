// Rsub: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(rsub);
TW_LACKS_TILE(rsub_unary_int32);

}  // namespace ckernel
