// Sfpu int sum: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(sfpu_sum_int_init, "sfpu int sum");
TW_LACKS(sfpu_sum_int_col, "sfpu int sum");
TW_LACKS(sfpu_sum_int_row, "sfpu int sum");
TW_LACKS(sfpu_add_int, "sfpu int sum");

}  // namespace ckernel
