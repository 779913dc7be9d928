// The umbrella that older kernels include, and the functions that live in it.

#pragma once

#include "api/compute/common.h"
#include "internal/sfpu.h"

#ifdef TRISC_MATH
namespace tw {

// What the next tile has where that is larger, by the sign of the difference (tt-metal's `calculate_max` of before 2026).
inline void larger_of_next_on_face() {
    constexpr uint32_t tile_rows = 64, minus_one = 11, still = TW_ADDRESS_MODE == 14 ? 3 : ckernel::ADDR_MOD_7;
    for (int row = 0; row < 8; ++row) {
        TT_SFPLOAD(0, 0, still, 0);
        TT_SFPLOAD(1, 0, still, tile_rows);
        TTI_SFPMAD(1, minus_one, 0, 2, 0);
        TTI_SFPSETCC(0, 2, 0, 0);
        TT_SFPSTORE(1, 0, still, 0);
        TTI_SFPENCC(0, 0, 0, 0);
        TTI_INCRWC(0, 2, 0, 0);
    }
}
ALWI void larger_of_next(uint32_t dst, ckernel::VectorMode mode) {
    ckernel::addr_mod_t{}.set(ckernel::ADDR_MOD_7);
    _llk_math_eltwise_unary_sfpu_params_(larger_of_next_on_face, dst, mode);
}

}  // namespace tw
#endif

namespace ckernel {

TW_UNARY(silu_tile)
TW_UNARY(square_tile)
TW_UNARY(abs_tile)
TW_UNARY_FAST(tanh_tile)
TW_UNARY_FAST(log_tile)

template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init() {
    tw::variant(!fast_and_approx, "sigmoid_tile, fast and approximate");
    tw::vector_init(tw::unary<TW_HASH("sigmoid_tile")>());
}
template <auto mode = VectorMode::RC, bool fast_and_approx = false>
ALWI void sigmoid_tile(uint32_t dst) {
    tw::variant(!fast_and_approx, "sigmoid_tile, fast and approximate");
    tw::whole_tile(mode);
    tw::vector(tw::unary<TW_HASH("sigmoid_tile")>(), dst, dst, dst);
}

TW_LACKS(sigmoid_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(sigmoid_tile_pack, "vector functions on the pack processor");
TW_LACKS(tanh_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(tanh_tile_pack, "vector functions on the pack processor");
TW_LACKS(silu_tile_init_pack, "vector functions on the pack processor");
TW_LACKS(silu_tile_pack, "vector functions on the pack processor");
template <bool fast_and_approx = false, bool base_is_two = false>
ALWI void log_with_base_tile(uint32_t dst, uint32_t scale) {
    tw::variant(!fast_and_approx, "log_with_base_tile, fast and approximate");
    constexpr uint32_t hash =
        base_is_two ? TW_HASH("log_with_base_tile", false, true) : TW_HASH("log_with_base_tile");
    tw::function<1, hash>(dst, dst, scale);
}
template <bool fast_and_approx = false>
ALWI void log_with_base_tile_init() {
    tw::variant(!fast_and_approx, "log_with_base_tile, fast and approximate");
    tw::function_init<TW_HASH("log_with_base_tile")>();
}
TW_FUNCTION(signbit_tile)
TW_FUNCTION_INIT(signbit_tile)
TW_FUNCTION(signbit_tile_int32)
TW_FUNCTION_INIT(signbit_tile_int32)
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
// The older form of `binary_max_tile`: the second tile is the next one, whatever is given.
TW_FUNCTION_INIT_OF(max_tile_init, unary_max_tile)
ALWI void max_tile(uint32_t dst, [[maybe_unused]] uint32_t next, [[maybe_unused]] tw::faces mode = VectorMode::RC) {
    MATH((tw::larger_of_next(dst, mode.mode)));
}
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
TW_FUNCTION_FORMAT_BINARY(sfpu_add_top_row)
TW_FUNCTION_INIT_OF(sfpu_add_top_row_init, sfpu_add_top_row<Float32>)
TW_LACKS(dbg_halt, "halting the engine");
TW_LACKS(dbg_unhalt, "halting the engine");
TW_LACKS(dbg_read_dest_acc_row, "reads of Dst by a processor");
TW_LACKS(clear_compute_special_value_flags, "flags of special values");

TW_LACKS(topk_uint16_prepare_value_tile_for_pack, "sorting of UInt16 in a 32-bit Dst");

// Sorting: values in Dst tiles 0 and 1, their indices in tiles 2 and 3. The functions set Dst's
// address themselves, so that no other tiles will do (tt-llk `set_dst_write_addr`).

TW_FUNCTION_INIT_OF(topk_tile_init, topk_local_sort<false>)

template <bool stable_sort = false>
ALWI void topk_local_sort(
    uint32_t dst, int idir, int end_phase, int start_phase = 0, int end_step = 0, int start_step = 0) {
    tw::variant(dst == 0, "topk_local_sort of other tiles than those from Dst tile 0");
    constexpr uint32_t hash = TW_HASH("topk_local_sort", stable_sort);
    tw::function<4, hash>(0, 1, 2, 3, 0, idir, end_phase, start_phase, end_step, start_step);
}
template <bool idir = false, bool stable_sort = false>
ALWI void topk_merge(uint32_t dst, int m_iter, int k) {
    tw::variant(dst == 0, "topk_merge of other tiles than those from Dst tile 0");
    tw::function<4, TW_HASH("topk_merge", idir, stable_sort)>(0, 1, 2, 3, 0, m_iter, k);
}
template <bool stable_sort = false>
ALWI void topk_rebuild(uint32_t dst, bool idir, int m_iter, int k, int logk, int skip_second) {
    tw::variant(dst == 0, "topk_rebuild of other tiles than those from Dst tile 0");
    constexpr uint32_t hash = TW_HASH("topk_rebuild", stable_sort);
    tw::function<4, hash>(0, 1, 2, 3, 0, idir, m_iter, k, logk, skip_second);
}

// Maxima of up to nine rows with their indices. It runs over the tiles after its operands too.
template <int num_rows = 9, DataLayout layout = DataLayout::TILE, bool accumulate = false, int iterations = 8>
ALWI void max_reduce_with_indices(uint32_t dst, uint32_t indices, [[maybe_unused]] uint32_t chunk = 0) {
    tw::variant(
        num_rows <= 9 && layout == DataLayout::TILE && !accumulate,
        "max_reduce_with_indices of more than nine rows, or row by row");
    tw::function<4, TW_HASH("max_reduce_with_indices")>(dst, indices, dst + 1, indices + 1, dst);
}
template <DataLayout layout = DataLayout::TILE>
ALWI void max_reduce_with_indices_init() {
    tw::function_init<TW_HASH("max_reduce_with_indices")>();
}

// Reductions within a tile by the vector unit, of one tile. Sums of Float32 have a path of their
// own.

template <PoolType pool, DataFormat format>
constexpr bool tw_vector_sum = pool == PoolType::SUM && format == DataFormat::Float32;

template <PoolType pool, DataFormat format>
ALWI void sfpu_reduce_init() {
    if constexpr (tw_vector_sum<pool, format>) {
        tw::vector_init({TW_VECTOR_SUM, TW_SUM_COLUMNS, 0, 0, 0, 0});
    } else {
        tw::function_init<TW_HASH("sfpu_reduce", pool, format, ReduceDim::REDUCE_COL)>();
    }
}
template <PoolType pool, DataFormat format, ReduceDim dim = ReduceDim::REDUCE_COL>
ALWI void sfpu_reduce(uint32_t dst, uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    static_assert(dim != ReduceDim::REDUCE_SCALAR, "the vector unit reduces columns or rows");
    tw::variant(ct_dim == 1 && rt_dim == 1, "sfpu_reduce of several tiles");
    if constexpr (tw_vector_sum<pool, format>) {
        constexpr uint8_t sum = dim == ReduceDim::REDUCE_COL ? TW_SUM_COLUMNS : TW_SUM_ROWS;
        tw::vector({TW_VECTOR_SUM, sum, 0, 0, 0, 0}, dst, dst, dst);
    } else {
        tw::function<1, TW_HASH("sfpu_reduce", pool, format, dim)>(dst, dst);
    }
}

}  // namespace ckernel
