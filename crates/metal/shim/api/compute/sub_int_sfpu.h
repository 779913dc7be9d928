// Sub int.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_FORMAT_BINARY(sub_int_tile)
TW_FUNCTION_INIT(sub_int_tile)
TW_FUNCTION_FORMAT_BINARY(rsub_int_tile)
TW_FUNCTION_INIT(rsub_int_tile)

}  // namespace ckernel
