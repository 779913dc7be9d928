// Functions of the vector unit by the names of tt-metal's `llk_sfpu_types.h`; the order has no meaning.

#pragma once

enum class SfpuType {
    abs, abs_int32, acos, acosh, add1, add_int32, add_top_row, add_uint16, add_uint32, addcdiv, addcmul,
    alt_complex_rotate90, asin, asinh, atan, atanh, bitwise_and, bitwise_not, bitwise_or, bitwise_xor,
    cast_fp32_to_fp16a, cbrt, ceil, celu, clamp, cosh, cosine, cpy_values, cumsum, dequant_int32, digamma,
    div_int32, div_int32_floor, div_int32_trunc, dropout, elu, eq, eq_int, equal_zero, erf, erfc, erfinv, exp2,
    exp_with_base, expm1, expm1_cw, exponential, fill, floor, fmod, fmod_int32, frac, gcd, ge, ge_int, gelu,
    gelu_appx, gelu_derivative, gelu_tanh, greater_than_equal_zero, greater_than_zero, gt, gt_int, hardmish,
    hardshrink, hardsigmoid, hardtanh, heaviside, i0, i1, identity, isclose, isfinite, isinf, isnan, isneginf,
    isposinf, lcm, le, le_int, left_shift, lerp, less_than_equal_zero, less_than_zero, lgamma, log, log1p,
    log_with_base, logical_not_unary, lrelu, lt, lt_int, mac, mask, max, max_int32, max_pool_with_indices,
    max_uint32, min, min_int32, min_uint32, mish, mul_int32, mul_uint16, ne, ne_int, negative, not_equal_zero,
    polygamma, power, prelu, quant_int32, rdiv, reciprocal, reduce, relu_max, relu_min, remainder,
    remainder_int32, remainder_uint32, requant_int32, reshuffle_rows, right_shift, round, rpow, rsqrt,
    rsqrt_compat, selu, sigmoid, sigmoid_appx, sign, signbit, silu, sine, sinh, snake_beta, softplus,
    softshrink, softsign, sqrt, sqrt_custom, square, sub_int32, sub_uint16, tan, tanh, tanh_derivative,
    tanh_derivative_lut, tanhshrink, threshold, tiled_prod, topk_local_sort, topk_merge, topk_rebuild, trunc,
    typecast, unary_eq, unary_ge, unary_gt, unary_le, unary_lt, unary_max, unary_max_int32, unary_max_uint32,
    unary_min, unary_min_int32, unary_min_uint32, unary_ne, unused, where, xielu,
};
