// Differences of a row of tiles and one column, in one call: no data says what they round to.

#pragma once

#include "api/compute/common.h"

namespace ckernel {

TW_BELOW(sub_bcast_cols_init_short_custom, "sub_tiles_bcast_cols_custom");
TW_BELOW(sub_tiles_bcast_cols_custom, "sub_tiles_bcast_cols_custom");

}  // namespace ckernel
