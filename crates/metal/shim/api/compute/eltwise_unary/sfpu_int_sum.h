// Sums of integers by groups of rows or columns.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_INIT_OF(sfpu_sum_int_init, sfpu_sum_int_col)
TW_FUNCTION(sfpu_sum_int_col)
TW_FUNCTION(sfpu_sum_int_row)
TW_LACKS(sfpu_add_int, "sfpu_add_int");

}  // namespace ckernel
