// Binary remainder: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(remainder_int32);
TW_LACKS_TILE(remainder_uint32);
TW_LACKS_TILE(remainder_binary);

}  // namespace ckernel
