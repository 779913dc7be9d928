// Identity.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(identity_tile)
TW_FUNCTION_INIT(identity_tile)
TW_FUNCTION(identity_tile_uint32)

}  // namespace ckernel
