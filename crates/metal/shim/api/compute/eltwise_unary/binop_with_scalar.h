// A tile and one value, given as an fp32 pattern.

#pragma once

#include "internal/sfpu.h"
// Some kernels call what lies beneath: the functions of their own tree.
#if !defined(TRISC_UNPACK) && defined(TW_WITH_FUNCTIONS) && __has_include("ckernel_sfpu_binop_with_unary.h")
#include "ckernel_sfpu_binop_with_unary.h"
#endif

namespace ckernel {

enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

ALWI void binop_with_scalar_tile_init() { tw::vector_init(tw::unary<TW_HASH("add_unary_tile")>()); }

#define TW_WITH_SCALAR(name)                                             \
    ALWI void name(uint32_t dst, uint32_t bits) {                        \
        tw::vector(tw::unary<TW_HASH(#name)>(0, bits), dst, dst, dst); \
    }

TW_WITH_SCALAR(add_unary_tile)
TW_WITH_SCALAR(sub_unary_tile)
TW_WITH_SCALAR(mul_unary_tile)
TW_WITH_SCALAR(div_unary_tile)
TW_WITH_SCALAR(rsub_unary_tile)
TW_FUNCTION_1(add_unary_tile_int32)
TW_FUNCTION_1(sub_unary_tile_int32)

}  // namespace ckernel
