// Untilize by the unpacker: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS(untilize_init, "untilize by the unpacker");
TW_LACKS(untilize_block, "untilize by the unpacker");
TW_LACKS(untilize_uninit, "untilize by the unpacker");

}  // namespace ckernel
