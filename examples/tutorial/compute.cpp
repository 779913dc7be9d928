// y = (x - mean) / std of each row of one tile.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/common.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/reduce.h"
#include "mistakes.h"

constexpr uint32_t mistake = get_compile_time_arg_val(0);
constexpr uint32_t epsilon_bits = get_compile_time_arg_val(1);
constexpr auto cb_x = tt::CBIndex::c_0;
constexpr auto cb_scaler = tt::CBIndex::c_1;
constexpr auto cb_mean = tt::CBIndex::c_2;
constexpr auto cb_centred = tt::CBIndex::c_3;
constexpr auto cb_square = tt::CBIndex::c_4;
constexpr auto cb_rstd = tt::CBIndex::c_5;
constexpr auto cb_y = tt::CBIndex::c_16;

// A section of Dst whose tile 0 goes to a buffer.
template <typename Work>
void section(uint32_t to, Work work) {
    tile_regs_acquire();
    work();
    tile_regs_commit();
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
}

// The mean of each row in the first column of a tile, and what else is done to it.
template <typename Then>
void row_mean(uint32_t from, uint32_t to, Then then) {
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(from, cb_scaler, to);
    section(to, [=] {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(from, cb_scaler, 0, 0, 0);
        then();
    });
    reduce_uninit();
}

void square() {
    mul_tiles(cb_centred, cb_centred, 0, 0, 0);
    if constexpr (mistake == stale_sum) {
        // The square is put aside, and then a second product is meant to replace it.
        copy_dest_values_init();
        copy_dest_values(0, 1);
        mul_tiles(cb_centred, cb_centred, 0, 0, 0);
        binary_max_tile_init();
        binary_max_tile(0, 1, 0);
    }
}

void reciprocal_std() {
    binop_with_scalar_tile_init();
    add_unary_tile(0, epsilon_bits);
    rsqrt_tile_init();
    rsqrt_tile(0);
}

void kernel_main() {
    if constexpr (mistake != no_startup) {
        compute_kernel_hw_startup(cb_x, cb_scaler, cb_mean);
    }
    cb_wait_front(cb_x, mistake == too_many_pages ? 2 : 1);
    cb_wait_front(cb_scaler, 1);
    row_mean(cb_x, cb_mean, [] {});

    cb_wait_front(cb_mean, 1);
    sub_bcast_cols_init(cb_x, cb_mean);
    section(cb_centred, [] { sub_tiles_bcast_cols(cb_x, cb_mean, 0, 0, 0); });

    cb_wait_front(cb_centred, 1);
    mul_init(cb_centred, cb_centred);
    section(cb_square, square);

    cb_wait_front(cb_square, 1);
    row_mean(cb_square, cb_rstd, reciprocal_std);

    cb_wait_front(cb_rstd, 1);
    mul_bcast_cols_init(cb_centred, cb_rstd);
    section(cb_y, [] { mul_tiles_bcast_cols(cb_centred, cb_rstd, 0, 0, 0); });
    for (const uint32_t cb : {cb_x, cb_scaler, cb_mean, cb_centred, cb_square, cb_rstd}) {
        cb_pop_front(cb, 1);
    }
}
