// Relu: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(relu);
TW_LACKS_TILE(relu_max);
TW_LACKS(relu_max_tile_pack, "relu");
TW_LACKS(relu_max_tile_int32, "relu");
TW_LACKS(relu_max_tile_uint32, "relu");
TW_LACKS(relu_max_tile_uint16, "relu");
TW_LACKS(relu_max_tile_init_pack, "relu");
TW_LACKS_TILE(relu_min);
TW_LACKS(relu_min_tile_int32, "relu");
TW_LACKS(relu_min_tile_uint32, "relu");
TW_LACKS(relu_min_tile_uint16, "relu");
TW_LACKS(relu_tile_int32, "relu");
TW_LACKS_TILE(leaky_relu);

}  // namespace ckernel
