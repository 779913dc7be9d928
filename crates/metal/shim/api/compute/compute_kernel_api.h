// The umbrella that older kernels include, and the functions that live in it.

#pragma once

#include "api/compute/common.h"
#include "internal/sfpu.h"

namespace ckernel {

TW_UNARY_TILE(silu, TW_UNARY_SILU)
TW_UNARY_TILE(square, TW_UNARY_SQUARE)
TW_UNARY_TILE(abs, TW_UNARY_ABS)
TW_UNARY_TILE_FAST(tanh, TW_UNARY_TANH)
TW_UNARY_TILE_FAST(log, TW_UNARY_LOG)

template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init() {
    tw::variant(!fast_and_approx, "sigmoid_tile, fast and approximate");
    tw::vector_init(tw::unary(TW_UNARY_SIGMOID));
}
template <VectorMode mode = VectorMode::RC, bool fast_and_approx = false>
ALWI void sigmoid_tile(uint32_t dst) {
    tw::variant(!fast_and_approx, "sigmoid_tile, fast and approximate");
    tw::whole_tile(mode);
    tw::vector(tw::unary(TW_UNARY_SIGMOID), dst, dst, dst);
}

TW_LACKS(sigmoid_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(sigmoid_tile_pack, "vector functions on the pack processor");
TW_LACKS(tanh_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(tanh_tile_pack, "vector functions on the pack processor");
TW_LACKS(silu_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(silu_tile_pack, "vector functions on the pack processor");
TW_FUNCTION_1(log_with_base_tile)
TW_FUNCTION_INIT(log_with_base_tile)
TW_FUNCTION(signbit_tile)
TW_FUNCTION_INIT(signbit_tile)
TW_LACKS(signbit_tile_int32_init, "integer tiles");
TW_FUNCTION(signbit_tile_int32)
TW_FUNCTION(abs_tile_int32)
TW_FUNCTION(sign_tile)
TW_FUNCTION_INIT(sign_tile)
TW_FUNCTION(tiled_prod_tile)
TW_FUNCTION_INIT(tiled_prod_tile)
TW_FUNCTION_1(power_tile)
TW_FUNCTION_INIT(power_tile)
TW_FUNCTION_1(power_iterative_tile)
TW_FUNCTION_INIT(power_iterative_tile)
TW_FUNCTION(exp2_tile)
TW_FUNCTION_INIT(exp2_tile)
TW_FUNCTION_1(heaviside_tile)
TW_FUNCTION_INIT(heaviside_tile)
TW_FUNCTION_FAST(expm1_tile, false)
TW_FUNCTION_1(unary_max_tile)
TW_FUNCTION_INIT(unary_max_tile)
TW_FUNCTION_1(unary_min_tile)
TW_FUNCTION_INIT(unary_min_tile)
TW_FUNCTION_1(unary_max_int32_tile)
TW_FUNCTION_INIT(unary_max_int32_tile)
TW_FUNCTION_1(unary_min_int32_tile)
TW_FUNCTION_INIT(unary_min_int32_tile)
TW_FUNCTION_1(unary_max_uint32_tile)
TW_FUNCTION_INIT(unary_max_uint32_tile)
TW_FUNCTION_1(unary_min_uint32_tile)
TW_FUNCTION_INIT(unary_min_uint32_tile)
TW_FUNCTION(alt_complex_rotate90_tile)
TW_FUNCTION_INIT(alt_complex_rotate90_tile)
TW_LACKS(topk_tile_init, "sorting");
TW_LACKS(topk_local_sort, "sorting");
TW_LACKS(topk_merge, "sorting");
TW_LACKS(topk_rebuild, "sorting");
TW_LACKS(topk_uint16_prepare_value_tile_for_pack, "sorting");
TW_LACKS(max_reduce_with_indices, "maxima with their places");
TW_LACKS(max_reduce_with_indices_init, "maxima with their places");
TW_FUNCTION_FORMAT_BINARY(sfpu_add_top_row)
TW_LACKS(sfpu_add_top_row_init, "reductions by the vector unit");
TW_LACKS(dbg_halt, "halting the engine");
TW_LACKS(dbg_unhalt, "halting the engine");
TW_LACKS(dbg_read_dest_acc_row, "reads of Dst by a processor");
TW_LACKS(clear_compute_special_value_flags, "flags of special values");

// Reductions within a tile by the vector unit: sums of Float32, of one tile.

template <PoolType pool, DataFormat format>
concept tw_vector_sum = pool == PoolType::SUM && format == DataFormat::Float32;

template <PoolType pool, DataFormat format>
    requires tw_vector_sum<pool, format>
ALWI void sfpu_reduce_init() {
    tw::vector_init({TW_VECTOR_SUM, TW_SUM_COLUMNS, 0, 0, 0});
}
template <PoolType pool, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL>
    requires tw_vector_sum<pool, format>
ALWI void sfpu_reduce(uint32_t dst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    static_assert(dim != ReduceDim::REDUCE_SCALAR, "the vector unit reduces columns or rows");
    tw::variant(ct_dim == 1 && rt_dim == 1, "sfpu_reduce of several tiles");
    constexpr uint8_t sum = dim == ReduceDim::REDUCE_COL ? TW_SUM_COLUMNS : TW_SUM_ROWS;
    tw::vector({TW_VECTOR_SUM, sum, 0, 0, 0}, dst, dst, dst);
}
template <PoolType pool, DataFormat format>
    requires(!tw_vector_sum<pool, format>)
TW_NOT_SERVED("reductions by the vector unit other than sums of Float32")
void sfpu_reduce_init();
template <PoolType pool, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL>
    requires(!tw_vector_sum<pool, format>)
TW_NOT_SERVED("reductions by the vector unit other than sums of Float32")
void sfpu_reduce(uint32_t dst, uint32_t ct_dim = 1, uint32_t rt_dim = 1);

}  // namespace ckernel
