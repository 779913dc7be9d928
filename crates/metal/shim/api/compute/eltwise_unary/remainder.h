// Remainder: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(remainder);
TW_LACKS(remainder_tile_uint32, "remainder");
TW_LACKS(remainder_tile_uint32_init, "remainder");

}  // namespace ckernel
