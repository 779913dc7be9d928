// Comp.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_FUNCTION_1(unary_ne_tile)
TW_FUNCTION_INIT(unary_ne_tile)
TW_FUNCTION_1(unary_ne_tile_int32)
TW_FUNCTION_1(unary_eq_tile)
TW_FUNCTION_INIT(unary_eq_tile)
TW_FUNCTION_1(unary_eq_tile_int32)
TW_FUNCTION_1(unary_gt_tile)
TW_FUNCTION_INIT(unary_gt_tile)
TW_FUNCTION_1(unary_gt_tile_int32)
TW_FUNCTION_1(unary_ge_tile)
TW_FUNCTION_INIT(unary_ge_tile)
TW_FUNCTION_1(unary_ge_tile_int32)
TW_FUNCTION_1(unary_lt_tile)
TW_FUNCTION_INIT(unary_lt_tile)
TW_FUNCTION_1(unary_lt_tile_int32)
TW_FUNCTION_1(unary_le_tile)
TW_FUNCTION_INIT(unary_le_tile)
TW_FUNCTION_1(unary_le_tile_int32)
TW_FUNCTION(gtz_tile)
TW_FUNCTION_INIT(gtz_tile)
TW_FUNCTION(nez_tile)
TW_FUNCTION_INIT(nez_tile)
TW_FUNCTION(gez_tile)
TW_FUNCTION_INIT(gez_tile)
TW_FUNCTION(ltz_tile)
TW_FUNCTION_INIT(ltz_tile)
TW_FUNCTION(eqz_tile)
TW_FUNCTION_INIT(eqz_tile)
TW_FUNCTION(lez_tile)
TW_FUNCTION_INIT(lez_tile)
TW_FUNCTION(gtz_tile_int32)
TW_FUNCTION(nez_tile_int32)
TW_FUNCTION(gez_tile_int32)
TW_FUNCTION(ltz_tile_int32)
TW_FUNCTION(eqz_tile_int32)
TW_FUNCTION(eqz_tile_uint16)
TW_FUNCTION(eqz_tile_uint32)
TW_FUNCTION(lez_tile_int32)
TW_FUNCTION(nez_tile_uint16)
TW_FUNCTION(nez_tile_uint32)

}  // namespace ckernel
