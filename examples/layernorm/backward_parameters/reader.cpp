// Reads x and dy of a pair of columns row by row, with the row's mean and 1/std; then lets the
// parts of other cores in.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "l1_tiles.h"
#include "movement.h"
#include "pairs.h"

void kernel_main() {
    const Rows host = rows_of_host();
    const Share share = share_from(4);
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto mean_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    constexpr auto rstd_args = TensorAccessorArgs<mean_args.next_compile_time_args_offset()>();
    constexpr auto dy_args = TensorAccessorArgs<rstd_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));
    const auto mean = TensorAccessor(mean_args, get_arg_val<uint32_t>(1), get_tile_size(cb_mean));
    const auto rstd = TensorAccessor(rstd_args, get_arg_val<uint32_t>(2), get_tile_size(cb_rstd));
    const auto dy = TensorAccessor(dy_args, get_arg_val<uint32_t>(3), get_tile_size(cb_dy));
    push_ones(cb_ones);
    if (host.has_mask()) {
        push_row_mask(cb_mask, host.last_rows);
    }
    for (uint32_t pair = share.first_pair; pair < share.first_pair + share.pairs; ++pair) {
        for (uint32_t row = share.first_row; row < share.first_row + share.rows; ++row) {
            const uint32_t first = row * host.row_tiles + pair * pair_tiles;
            const uint32_t tiles = host.tiles_of(pair);
            ask_for_tiles(cb_mean, 1, mean, 1, from_page(row));
            ask_for_tiles(cb_rstd, 1, rstd, 1, from_page(row));
            ask_for_tiles(cb_x, pair_tiles, x, tiles, from_page(first));
            ask_for_tiles(cb_dy, pair_tiles, dy, tiles, from_page(first));
#ifndef FAULT_MISSING_READ_BARRIER
            noc_async_read_barrier();
#endif
            cb_push_back(cb_mean, 1);
            cb_push_back(cb_rstd, 1);
            cb_push_back(cb_x, pair_tiles);
            cb_push_back(cb_dy, pair_tiles);
        }
    }
    if (host.sharers > 1 && share.place == 0) {
        cb_reserve_back(cb_partial_in, host.parts());
        auto* const arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
        noc_semaphore_wait(arrived, host.sharers - 1);
        cb_push_back(cb_partial_in, host.parts());
    }
}
