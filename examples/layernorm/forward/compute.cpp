// mean, 1/std and y of each tile-row.

#include <cstdint>

#include "statistics.h"

// Packs a block's tiles; its ring moves on by whole blocks, whatever the tail's size.
void pack_y(uint32_t tiles) {
    cb_reserve_back(cb_out, block_tiles);
    pack_reconfig_data_format(cb_out);
    pack_block(0, cb_out, tiles);
    cb_push_back(cb_out, block_tiles);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const Plan plan{
        .row_tiles = get_common_arg_val<uint32_t>(0),
        .features = get_common_arg_val<uint32_t>(1),
        .keeps_row = get_common_arg_val<uint32_t>(2) != 0,
        .reciprocal_bits = get_common_arg_val<uint32_t>(3),
        .epsilon_bits = get_common_arg_val<uint32_t>(4),
        .writes_statistics = true,
        .is_row_major = false,
    };
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_x, cb_ones, cb_out);
#endif
    cb_wait_front(cb_ones, 1);
    cb_wait_front(cb_zeros, 1);
    if (plan.is_masked()) {
        cb_wait_front(cb_mask, 1);
    }
    const auto no_tilize = [](uint32_t, uint32_t) {};
    const Forward<decltype(no_tilize)> forward{plan, no_tilize};
    if (plan.keeps_row) {
        cb_wait_front(cb_gamma, plan.row_tiles);
        cb_wait_front(cb_beta, plan.row_tiles);
    }
    for (uint32_t row = 0; row < rows; ++row) {
        if (plan.keeps_row) {
            cb_wait_front(cb_x, plan.row_tiles);
        }
        forward.statistics();
        forward.outputs(pack_y);
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_rstd, 1);
        if (plan.keeps_row) {
            cb_pop_front(cb_x, plan.row_tiles);
        }
    }
}
