// Situ glu: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(situ_glu);

}  // namespace ckernel
