// Sfpu binary bcast.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(sfpu_bcast_col_init, "sfpu binary bcast");
TW_LACKS(sfpu_sub_bcast_col_init, "sfpu binary bcast");
TW_LACKS(sfpu_add_bcast_col_init, "sfpu binary bcast");
TW_LACKS(sfpu_mul_bcast_col_init, "sfpu binary bcast");
TW_FUNCTION_BINARY(sfpu_sub_bcast_col)
TW_FUNCTION_BINARY(sfpu_add_bcast_col)
TW_FUNCTION_BINARY(sfpu_mul_bcast_col)
TW_LACKS(sfpu_bcast_row_init, "sfpu binary bcast");
TW_LACKS(sfpu_sub_bcast_row_init, "sfpu binary bcast");
TW_LACKS(sfpu_add_bcast_row_init, "sfpu binary bcast");
TW_LACKS(sfpu_mul_bcast_row_init, "sfpu binary bcast");
TW_FUNCTION_BINARY(sfpu_sub_bcast_row)
TW_FUNCTION_BINARY(sfpu_add_bcast_row)
TW_FUNCTION_BINARY(sfpu_mul_bcast_row)
TW_LACKS(sfpu_bcast_init, "sfpu binary bcast");
TW_LACKS(sfpu_bcast, "sfpu binary bcast");

}  // namespace ckernel
