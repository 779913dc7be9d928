// Tilizes the sticks of a tile-row, normalises it, and untilizes the result out of Dst.
//
// Every step takes a row of tiles from one buffer to another. What is between the steps is fp32.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tilize.h"

constexpr uint32_t cb_sticks = tt::CBIndex::c_0;
constexpr uint32_t cb_x = tt::CBIndex::c_1;
constexpr uint32_t cb_scaler = tt::CBIndex::c_2;
constexpr uint32_t cb_gamma_sticks = tt::CBIndex::c_4;
constexpr uint32_t cb_beta_sticks = tt::CBIndex::c_5;
constexpr uint32_t cb_gamma = tt::CBIndex::c_6;
constexpr uint32_t cb_beta = tt::CBIndex::c_7;
constexpr uint32_t cb_out = tt::CBIndex::c_16;
constexpr uint32_t cb_centred = tt::CBIndex::c_24;
constexpr uint32_t cb_mean = tt::CBIndex::c_25;
constexpr uint32_t cb_squares = tt::CBIndex::c_26;
constexpr uint32_t cb_rstd = tt::CBIndex::c_27;
constexpr uint32_t cb_scaled = tt::CBIndex::c_28;
constexpr uint32_t cb_weighted = tt::CBIndex::c_29;

constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
// 1/W and epsilon, as the bits of fp32 values.
constexpr uint32_t reciprocal_bits = get_compile_time_arg_val(1);
constexpr uint32_t epsilon_bits = get_compile_time_arg_val(2);

// Makes a row of tiles of 32 sticks.
void tilize_row(uint32_t from, uint32_t to) {
    reconfig_data_format_srca(from);
    pack_reconfig_data_format(to);
    tilize_init(from, row_tiles, to);
    cb_wait_front(from, row_tiles);
    cb_reserve_back(to, row_tiles);
    tilize_block(from, row_tiles, to);
    cb_push_back(to, row_tiles);
    cb_pop_front(from, row_tiles);
    tilize_uninit(from, to);
    cb_wait_front(to, row_tiles);
}

// Packs Dst 0, which math has committed.
void pack_result(uint32_t to) {
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
}

// A row of tiles: `compute(tile)` leaves its result in Dst 0.
template <typename Compute>
void each_tile(uint32_t to, Compute compute) {
    pack_reconfig_data_format(to);
    for (uint32_t tile = 0; tile < row_tiles; ++tile) {
        tile_regs_acquire();
        compute(tile);
        tile_regs_commit();
        pack_result(to);
    }
    cb_wait_front(to, row_tiles);
}

// The sum of a row of tiles over W, changed by `change(0)`.
template <typename Change>
void mean_of(uint32_t from, uint32_t to, Change change) {
    tile_regs_acquire();
    // A row sum writes column 0 alone; the vector unit needs the others defined.
    fill_tile_init();
    fill_tile(0, 0.0f);
    // Row sums have their data in SrcB.
    reconfig_data_format(cb_scaler, from);
    pack_reconfig_data_format(to);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(from, cb_scaler, to);
    for (uint32_t tile = 0; tile < row_tiles; ++tile) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(from, cb_scaler, tile, 0, 0);
    }
    binop_with_scalar_tile_init();
    mul_unary_tile(0, reciprocal_bits);
    change(0);
    tile_regs_commit();
    pack_result(to);
    reduce_uninit();
    cb_wait_front(to, 1);
}

// x - mean and 1/std of a tile-row.
void statistics() {
    mean_of(cb_x, cb_mean, [](uint32_t) {});
    reconfig_data_format(cb_x, cb_mean);
    sub_bcast_cols_init(cb_x, cb_mean);
    each_tile(cb_centred, [](uint32_t tile) { sub_tiles_bcast_cols(cb_x, cb_mean, tile, 0, 0); });
    cb_pop_front(cb_x, row_tiles);
    cb_pop_front(cb_mean, 1);
    reconfig_data_format(cb_centred, cb_centred);
    mul_tiles_init(cb_centred, cb_centred);
    each_tile(cb_squares, [](uint32_t tile) { mul_tiles(cb_centred, cb_centred, tile, tile, 0); });
    mean_of(cb_squares, cb_rstd, [](uint32_t variance) {
        add_unary_tile(variance, epsilon_bits);
        rsqrt_tile_init();
        rsqrt_tile(variance);
    });
    cb_pop_front(cb_squares, row_tiles);
}

// y of a tile-row, as sticks.
void outputs() {
    reconfig_data_format(cb_centred, cb_rstd);
    mul_bcast_cols_init(cb_centred, cb_rstd);
    each_tile(cb_scaled, [](uint32_t tile) { mul_tiles_bcast_cols(cb_centred, cb_rstd, tile, 0, 0); });
    cb_pop_front(cb_centred, row_tiles);
    cb_pop_front(cb_rstd, 1);
    reconfig_data_format(cb_scaled, cb_gamma);
    mul_bcast_rows_init(cb_scaled, cb_gamma);
    each_tile(cb_weighted, [](uint32_t tile) { mul_tiles_bcast_rows(cb_scaled, cb_gamma, tile, tile, 0); });
    cb_pop_front(cb_scaled, row_tiles);
    reconfig_data_format(cb_weighted, cb_beta);
    add_bcast_rows_init(cb_weighted, cb_beta);
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<1, 1>(cb_out);
    for (uint32_t tile = 0; tile < row_tiles; ++tile) {
        tile_regs_acquire();
        add_tiles_bcast_rows(cb_weighted, cb_beta, tile, tile, 0);
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_untilize_dest<1, 1>(cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    pack_untilize_uninit(cb_out);
    cb_pop_front(cb_weighted, row_tiles);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    // Before anything else: unpacker, math and packer are not configured without it.
    compute_kernel_hw_startup(cb_sticks, cb_scaler, cb_x);
    tilize_row(cb_gamma_sticks, cb_gamma);
    tilize_row(cb_beta_sticks, cb_beta);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        tilize_row(cb_sticks, cb_x);
        statistics();
        outputs();
    }
    cb_pop_front(cb_scaler, 1);
    cb_pop_front(cb_gamma, row_tiles);
    cb_pop_front(cb_beta, row_tiles);
}
