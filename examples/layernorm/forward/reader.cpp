// Reads rows of x whole, or in blocks in three passes; γ and β once, or with the last pass.

#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "buffers.h"
#include "l1_tiles.h"
#include "movement.h"

void await_reads() {
#ifndef FAULT_MISSING_READ_BARRIER
    noc_async_read_barrier();
#endif
}

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    const uint32_t features = get_common_arg_val<uint32_t>(1);
    const bool keeps_row = get_common_arg_val<uint32_t>(2) != 0;
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto beta_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));
    const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1), get_tile_size(cb_gamma));
    const auto beta = TensorAccessor(beta_args, get_arg_val<uint32_t>(2), get_tile_size(cb_beta));
    push_ones(cb_ones);
    push_zeros(cb_zeros);
    if (features < tile_side * row_tiles) {
        push_column_mask(cb_mask, features % tile_side);
    }
    if (keeps_row) {
        ask_for_tiles(cb_gamma, row_tiles, gamma, row_tiles, from_page(0));
        ask_for_tiles(cb_beta, row_tiles, beta, row_tiles, from_page(0));
        await_reads();
        cb_push_back(cb_gamma, row_tiles);
        cb_push_back(cb_beta, row_tiles);
        for (uint32_t row = first_row; row < first_row + rows; ++row) {
            ask_for_tiles(cb_x, row_tiles, x, row_tiles, from_page(row * row_tiles));
            await_reads();
            cb_push_back(cb_x, row_tiles);
        }
        return;
    }
    for (uint32_t pass = 3 * first_row; pass < 3 * (first_row + rows); ++pass) {
        const uint32_t row = pass / 3;
        const bool is_last_pass = pass % 3 == 2;
        for (uint32_t column = 0; column < row_tiles; column += block_tiles) {
            const uint32_t tiles = std::min(block_tiles, row_tiles - column);
            ask_for_tiles(cb_x, block_tiles, x, tiles, from_page(row * row_tiles + column));
            if (is_last_pass) {
                ask_for_tiles(cb_gamma, block_tiles, gamma, tiles, from_page(column));
                ask_for_tiles(cb_beta, block_tiles, beta, tiles, from_page(column));
            }
            await_reads();
            cb_push_back(cb_x, block_tiles);
            if (is_last_pass) {
                cb_push_back(cb_gamma, block_tiles);
                cb_push_back(cb_beta, block_tiles);
            }
        }
    }
}
