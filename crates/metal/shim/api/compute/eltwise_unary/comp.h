// Comp: not served.

#pragma once

#include "internal/sfpu.h"

namespace ckernel {

TW_LACKS_TILE(unary_ne);
TW_LACKS(unary_ne_tile_int32, "comp");
TW_LACKS_TILE(unary_eq);
TW_LACKS(unary_eq_tile_int32, "comp");
TW_LACKS_TILE(unary_gt);
TW_LACKS(unary_gt_tile_int32, "comp");
TW_LACKS_TILE(unary_ge);
TW_LACKS(unary_ge_tile_int32, "comp");
TW_LACKS_TILE(unary_lt);
TW_LACKS(unary_lt_tile_int32, "comp");
TW_LACKS_TILE(unary_le);
TW_LACKS(unary_le_tile_int32, "comp");
TW_LACKS_TILE(gtz);
TW_LACKS_TILE(nez);
TW_LACKS_TILE(gez);
TW_LACKS_TILE(ltz);
TW_LACKS_TILE(eqz);
TW_LACKS_TILE(lez);
TW_LACKS(gtz_tile_int32, "comp");
TW_LACKS(nez_tile_int32, "comp");
TW_LACKS(gez_tile_int32, "comp");
TW_LACKS(ltz_tile_int32, "comp");
TW_LACKS(eqz_tile_int32, "comp");
TW_LACKS(eqz_tile_uint16, "comp");
TW_LACKS(eqz_tile_uint32, "comp");
TW_LACKS(lez_tile_int32, "comp");
TW_LACKS(nez_tile_uint16, "comp");
TW_LACKS(nez_tile_uint32, "comp");

}  // namespace ckernel
