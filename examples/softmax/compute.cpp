// Maximum, exponentials, sum, reciprocal, product: one row of tiles at a time.
//
// Both paths do the same operations on each value in the same order, so that they give the same
// bits. Each block is summed on its own and then added to the row's sum: a running sum of 8 bits
// would swallow what a long row adds to it.

#include <cstdint>

#include "api/compute/bcast.h"
#include "api/compute/common.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_scaler = tt::CBIndex::c_1;
constexpr uint32_t cb_out = tt::CBIndex::c_16;
constexpr uint32_t cb_max = tt::CBIndex::c_24;
constexpr uint32_t cb_exps = tt::CBIndex::c_25;
constexpr uint32_t cb_sum = tt::CBIndex::c_26;
constexpr uint32_t cb_recip = tt::CBIndex::c_27;
constexpr uint32_t cb_block_sum = tt::CBIndex::c_28;

void pack_tiles(uint32_t cb, uint32_t tiles) {
    cb_reserve_back(cb, tiles);
    tile_regs_wait();
    pack_block(0, cb, tiles);
    tile_regs_release();
    cb_push_back(cb, tiles);
}

// A reduction's result is in column 0, and the packers write no other.
void pack_column(uint32_t cb) {
    pack_tiles(cb, 1);
}

void maximum_init() {
    reconfig_data_format(cb_x, cb_scaler);
    pack_reconfig_data_format(cb_max);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_max);
}

// Tiles into the running maximum.
void maximum(uint32_t first, uint32_t tiles) {
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, tile, 0, 0);
    }
}

void exponentials_init() {
    reconfig_data_format(cb_x, cb_max);
    pack_reconfig_data_format(cb_exps);
    sub_bcast_cols_init(cb_x, cb_max);
    exp_tile_init();
}

// The next block, shifted by the maximum and exponentiated.
void exponentials(uint32_t block) {
    cb_wait_front(cb_x, block);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < block; ++tile) {
        sub_tiles_bcast_cols(cb_x, cb_max, tile, 0, tile);
        exp_tile(tile);
    }
    tile_regs_commit();
    cb_pop_front(cb_x, block);
    pack_tiles(cb_exps, block);
}

// Brings a sum back to Dst as it was packed: what a reduction leaves in Dst beside its column is
// undefined, and nothing for the vector unit.
void reload(uint32_t cb, uint32_t dst) {
    reconfig_data_format_srca(cb);
    copy_tile_init(cb);
    cb_wait_front(cb, 1);
    copy_tile(cb, 0, dst);
    cb_pop_front(cb, 1);
}

void add_block_sum() {
    pack_reconfig_data_format(cb_sum);
    tile_regs_acquire();
    reload(cb_sum, 0);
    reload(cb_block_sum, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
    tile_regs_commit();
    pack_column(cb_sum);
}

// A block of exponentials into the row's sum. Row sums have their data in SrcB.
void sum(uint32_t first, uint32_t tiles, bool is_first) {
    const uint32_t to = is_first ? cb_sum : cb_block_sum;
    reconfig_data_format(cb_scaler, cb_exps);
    pack_reconfig_data_format(to);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_scaler, to);
    cb_wait_front(cb_exps, first + tiles);
    tile_regs_acquire();
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_scaler, tile, 0, 0);
    }
    tile_regs_commit();
    pack_column(to);
    reduce_uninit();
    if (!is_first) {
        add_block_sum();
    }
}

// Less than one step of fp32 off; the default variant has three digits.
void reciprocal() {
    pack_reconfig_data_format(cb_recip);
    tile_regs_acquire();
    reload(cb_sum, 0);
    recip_tile_init<false>();
    recip_tile<false>(0);
    tile_regs_commit();
    pack_column(cb_recip);
}

void scale_init() {
    reconfig_data_format(cb_exps, cb_recip);
    pack_reconfig_data_format(cb_out);
    mul_bcast_cols_init(cb_exps, cb_recip);
}

// The next block of exponentials, divided by the sum.
void scale(uint32_t block) {
    cb_wait_front(cb_exps, block);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < block; ++tile) {
        mul_tiles_bcast_cols(cb_exps, cb_recip, tile, 0, tile);
    }
    tile_regs_commit();
    cb_pop_front(cb_exps, block);
    pack_tiles(cb_out, block);
}

// The row's tiles stay in their ring until they are shifted, its exponentials until they are scaled.
void whole_row(uint32_t block, uint32_t blocks) {
    maximum_init();
    tile_regs_acquire();
    for (uint32_t part = 0; part < blocks; ++part) {
        cb_wait_front(cb_x, (part + 1) * block);
        maximum(part * block, block);
    }
    tile_regs_commit();
    pack_column(cb_max);
    reduce_uninit();

    cb_wait_front(cb_max, 1);
    exponentials_init();
    for (uint32_t part = 0; part < blocks; ++part) {
        exponentials(block);
    }
    for (uint32_t part = 0; part < blocks; ++part) {
        sum(part * block, block, part == 0);
    }
    reciprocal();

    cb_wait_front(cb_recip, 1);
    scale_init();
    for (uint32_t part = 0; part < blocks; ++part) {
        scale(block);
    }
}

// Each block is read for the maximum, for the sum and for the result.
void three_passes(uint32_t block, uint32_t blocks) {
    maximum_init();
    tile_regs_acquire();
    for (uint32_t part = 0; part < blocks; ++part) {
        cb_wait_front(cb_x, block);
        maximum(0, block);
        cb_pop_front(cb_x, block);
    }
    tile_regs_commit();
    pack_column(cb_max);
    reduce_uninit();

    cb_wait_front(cb_max, 1);
    for (uint32_t part = 0; part < blocks; ++part) {
        exponentials_init();
        exponentials(block);
        sum(0, block, part == 0);
        cb_pop_front(cb_exps, block);
    }
    reciprocal();

    cb_wait_front(cb_recip, 1);
    for (uint32_t part = 0; part < blocks; ++part) {
        exponentials_init();
        exponentials(block);
        scale_init();
        scale(block);
    }
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t block = get_common_arg_val<uint32_t>(0);
    const uint32_t blocks = get_common_arg_val<uint32_t>(1);
    const uint32_t passes = get_common_arg_val<uint32_t>(2);
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_max);
#endif
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        if (passes == 1) {
            whole_row(block, blocks);
        } else {
            three_passes(block, blocks);
        }
        cb_pop_front(cb_max, 1);
        cb_pop_front(cb_recip, 1);
    }
    cb_pop_front(cb_scaler, 1);
}
