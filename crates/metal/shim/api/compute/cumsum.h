// Running sums down the columns of tiles.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

ALWI void cumsum_tile(uint32_t dst, bool first = true) {
    if (first) {
        tw::function<1, TW_HASH("cumsum_tile")>(dst, dst);
    } else {
        tw::function<1, TW_HASH("cumsum_tile<false>")>(dst, dst);
    }
}
TW_FUNCTION_INIT(cumsum_tile)

}  // namespace ckernel
