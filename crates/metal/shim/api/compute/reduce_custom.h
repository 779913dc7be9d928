// Maxima of rows of a whole block: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(reduce_block_max_row_init, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_reinit_short, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_reinit_minimal, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_reinit_minimal_runtime, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_reinit_short_runtime, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_uninit, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_init_runtime, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_runtime, "maxima of rows of a whole block");
TW_LACKS(reduce_block_max_row_uninit_runtime, "maxima of rows of a whole block");

}  // namespace ckernel
