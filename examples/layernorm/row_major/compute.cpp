// Tilizes sticks, normalises tile-rows as `../forward` does, and untilizes y out of Dst.

#include <cstdint>

#include "api/compute/pack_untilize.h"
#include "api/compute/tilize.h"
#include "statistics.h"
#include "sticks.h"

// Makes tiles of 32 sticks, which lie one after another, `tiles` tiles wide.
void tilize_sticks(uint32_t tiles, uint32_t stick_pages, uint32_t tile_pages, uint32_t to) {
    reconfig_data_format_srca(cb_sticks);
    pack_reconfig_data_format(to);
    tilize_init(cb_sticks, tiles, to);
    cb_wait_front(cb_sticks, stick_pages);
    cb_reserve_back(to, tile_pages);
    tilize_block(cb_sticks, tiles, to);
    cb_push_back(to, tile_pages);
    cb_pop_front(cb_sticks, stick_pages);
    tilize_uninit(cb_sticks, to);
}

// A whole row into a buffer that holds exactly one, so that no block of it wraps.
void tilize_row(uint32_t row_tiles, uint32_t to) {
    stick_blocks(true, row_tiles, [to](uint32_t, uint32_t tiles) {
        tilize_sticks(tiles, stick_tiles(true), tiles, to);
    });
    cb_wait_front(to, row_tiles);
}

// The first registers as 32 sticks that lie a whole block apart.
template <uint32_t tiles>
void untilize() {
    pack_untilize_dest_init<tiles, block_tiles>(cb_out);
    pack_untilize_dest<tiles, block_tiles>(cb_out);
}

// A block of y; then tiles are packed as tiles again.
void untilize_y(uint32_t tiles) {
    cb_reserve_back(cb_out, block_tiles);
    switch (tiles) {
        case 1: untilize<1>(); break;
        case 2: untilize<2>(); break;
        case 3: untilize<3>(); break;
        case 4: untilize<4>(); break;
        case 5: untilize<5>(); break;
        default: untilize<6>(); break;
    }
    cb_push_back(cb_out, block_tiles);
    pack_untilize_uninit(cb_out);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const Plan plan{
        .row_tiles = get_common_arg_val<uint32_t>(0),
        .features = 32 * get_common_arg_val<uint32_t>(0),
        .keeps_row = get_common_arg_val<uint32_t>(1) != 0,
        .reciprocal_bits = get_common_arg_val<uint32_t>(2),
        .epsilon_bits = get_common_arg_val<uint32_t>(3),
        .writes_statistics = false,
        .is_row_major = true,
    };
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_sticks, cb_ones, cb_x);
#endif
    cb_wait_front(cb_ones, 1);
    cb_wait_front(cb_zeros, 1);
    const auto tilize_streamed = [](uint32_t tiles, uint32_t to) {
        tilize_sticks(tiles, block_tiles, block_tiles, to);
    };
    const Forward<decltype(tilize_streamed)> forward{plan, tilize_streamed};
    if (plan.keeps_row) {
        tilize_row(plan.row_tiles, cb_gamma);
        tilize_row(plan.row_tiles, cb_beta);
    }
    for (uint32_t row = 0; row < rows; ++row) {
        if (plan.keeps_row) {
            tilize_row(plan.row_tiles, cb_x);
        }
        forward.statistics();
        forward.outputs(untilize_y);
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_rstd, 1);
        if (plan.keeps_row) {
            cb_pop_front(cb_x, plan.row_tiles);
        }
    }
}
