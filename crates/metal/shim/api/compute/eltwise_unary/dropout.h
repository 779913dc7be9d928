// Dropout: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(dropout_tile, "dropout");
TW_LACKS(dropout_kernel_init, "dropout");

}  // namespace ckernel
