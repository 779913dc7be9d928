// Identity: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(identity);
TW_LACKS(identity_tile_uint32, "identity");

}  // namespace ckernel
