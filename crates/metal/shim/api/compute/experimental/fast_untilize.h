// A faster way from tiles to sticks, not served.

#pragma once

#include "api/compute/pack_untilize.h"

namespace ckernel {

TW_LACKS(fast_untilize_init, "fast untilize");
TW_LACKS(fast_untilize_init_skip_remap, "fast untilize");
TW_LACKS(fast_untilize_block, "fast untilize");
TW_LACKS(fast_untilize_uninit, "fast untilize");

}  // namespace ckernel
