// Reads rows of x and dy whole, or in blocks in two passes; γ once, or with every pass.

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
    const uint32_t first_row = get_arg_val<uint32_t>(5);
    const uint32_t rows = get_arg_val<uint32_t>(6);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    const uint32_t features = get_common_arg_val<uint32_t>(1);
    const bool keeps_row = get_common_arg_val<uint32_t>(2) != 0;
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto gamma_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto mean_args = TensorAccessorArgs<gamma_args.next_compile_time_args_offset()>();
    constexpr auto rstd_args = TensorAccessorArgs<mean_args.next_compile_time_args_offset()>();
    constexpr auto dy_args = TensorAccessorArgs<rstd_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));
    const auto gamma = TensorAccessor(gamma_args, get_arg_val<uint32_t>(1), get_tile_size(cb_gamma));
    const auto mean = TensorAccessor(mean_args, get_arg_val<uint32_t>(2), get_tile_size(cb_mean));
    const auto rstd = TensorAccessor(rstd_args, get_arg_val<uint32_t>(3), get_tile_size(cb_rstd));
    const auto dy = TensorAccessor(dy_args, get_arg_val<uint32_t>(4), get_tile_size(cb_dy));
    push_ones(cb_ones);
    if (features < tile_side * row_tiles) {
        push_column_mask(cb_mask, features % tile_side);
    }
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        const uint32_t row_page = row * row_tiles;
        ask_for_tiles(cb_mean, 1, mean, 1, from_page(row));
        ask_for_tiles(cb_rstd, 1, rstd, 1, from_page(row));
        if (keeps_row) {
            if (row == first_row) {
                ask_for_tiles(cb_gamma, row_tiles, gamma, row_tiles, from_page(0));
            }
            ask_for_tiles(cb_x, row_tiles, x, row_tiles, from_page(row_page));
            ask_for_tiles(cb_dy, row_tiles, dy, row_tiles, from_page(row_page));
        }
        await_reads();
        cb_push_back(cb_mean, 1);
        cb_push_back(cb_rstd, 1);
        if (keeps_row) {
            if (row == first_row) {
                cb_push_back(cb_gamma, row_tiles);
            }
            cb_push_back(cb_x, row_tiles);
            cb_push_back(cb_dy, row_tiles);
            continue;
        }
        for (uint32_t pass = 0; pass < 2; ++pass) {
            for (uint32_t column = 0; column < row_tiles; column += dx_block_tiles) {
                const uint32_t tiles = std::min(dx_block_tiles, row_tiles - column);
                ask_for_tiles(cb_x, dx_block_tiles, x, tiles, from_page(row_page + column));
                ask_for_tiles(cb_dy, dx_block_tiles, dy, tiles, from_page(row_page + column));
                ask_for_tiles(cb_gamma, dx_block_tiles, gamma, tiles, from_page(column));
                await_reads();
                for (const uint32_t cb : {cb_x, cb_dy, cb_gamma}) {
                    cb_push_back(cb, dx_block_tiles);
                }
            }
        }
    }
}
