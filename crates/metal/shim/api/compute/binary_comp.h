// Binary comp: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(eq_int);
TW_LACKS_TILE(ne_int);
TW_LACKS_TILE(lt_int);
TW_LACKS_TILE(gt_int);
TW_LACKS_TILE(le_int);
TW_LACKS_TILE(ge_int);

}  // namespace ckernel
