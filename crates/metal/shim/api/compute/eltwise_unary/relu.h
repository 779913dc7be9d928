// Relu.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION(relu_tile)
TW_FUNCTION_INIT(relu_tile)
TW_FUNCTION_1(relu_max_tile)
TW_FUNCTION_INIT(relu_max_tile)
TW_LACKS(relu_max_tile_pack, "relu");
TW_FUNCTION_1(relu_max_tile_int32)
TW_FUNCTION_1(relu_max_tile_uint32)
TW_FUNCTION_1(relu_max_tile_uint16)
TW_LACKS(relu_max_tile_init_pack, "relu");
TW_FUNCTION_1(relu_min_tile)
TW_FUNCTION_INIT(relu_min_tile)
TW_FUNCTION_1(relu_min_tile_int32)
TW_FUNCTION_1(relu_min_tile_uint32)
TW_FUNCTION_1(relu_min_tile_uint16)
TW_FUNCTION(relu_tile_int32)
TW_FUNCTION_1(leaky_relu_tile)
TW_FUNCTION_INIT(leaky_relu_tile)

}  // namespace ckernel
