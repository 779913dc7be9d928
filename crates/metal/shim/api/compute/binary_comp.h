// Comparisons of whole numbers. An init names the format; older kernels leave it out.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(eq_int_tile)
TW_FUNCTION_INIT(eq_int_tile)
TW_FUNCTION_FORMAT_INIT(eq_int_tile)
TW_FUNCTION_FORMAT_BINARY(ne_int_tile)
TW_FUNCTION_INIT(ne_int_tile)
TW_FUNCTION_FORMAT_INIT(ne_int_tile)
TW_FUNCTION_FORMAT_BINARY(lt_int_tile)
TW_FUNCTION_INIT(lt_int_tile)
TW_FUNCTION_FORMAT_INIT(lt_int_tile)
TW_FUNCTION_FORMAT_BINARY(gt_int_tile)
TW_FUNCTION_INIT(gt_int_tile)
TW_FUNCTION_FORMAT_INIT(gt_int_tile)
TW_FUNCTION_FORMAT_BINARY(le_int_tile)
TW_FUNCTION_INIT(le_int_tile)
TW_FUNCTION_FORMAT_INIT(le_int_tile)
TW_FUNCTION_FORMAT_BINARY(ge_int_tile)
TW_FUNCTION_INIT(ge_int_tile)
TW_FUNCTION_FORMAT_INIT(ge_int_tile)

}  // namespace ckernel
