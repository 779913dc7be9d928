// A tile and one value, given as an fp32 pattern.

#pragma once

#include "internal/sfpu.h"
// Some kernels call what lies beneath: the functions of their own tree.
#if !defined(TRISC_UNPACK) && defined(TW_WITH_FUNCTIONS) && __has_include("ckernel_sfpu_binop_with_unary.h")
#include "ckernel_sfpu_binop_with_unary.h"
#endif

namespace ckernel {

enum { ADD_UNARY = 0, SUB_UNARY = 1, MUL_UNARY = 2, DIV_UNARY = 3, RSUB_UNARY = 4 };

ALWI void binop_with_scalar_tile_init() { tw::vector_init(tw::unary(TW_UNARY_ADD_SCALAR)); }

#define TW_SCALAR_TILE(name, code)                             \
    ALWI void name##_unary_tile(uint32_t dst, uint32_t bits) { \
        tw::vector(tw::unary(code, 0, bits), dst, dst, dst);   \
    }

TW_SCALAR_TILE(add, TW_UNARY_ADD_SCALAR)
TW_SCALAR_TILE(sub, TW_UNARY_SUB_SCALAR)
TW_SCALAR_TILE(mul, TW_UNARY_MUL_SCALAR)
TW_SCALAR_TILE(div, TW_UNARY_DIV_SCALAR)
TW_SCALAR_TILE(rsub, TW_UNARY_RSUB_SCALAR)
TW_FUNCTION_1(add_unary_tile_int32)
TW_FUNCTION_1(sub_unary_tile_int32)

}  // namespace ckernel
