// Reads each tile of the row and sends it to the other cores; reads its own column of the matrix.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t inner = get_arg_val<uint32_t>(2);
    const uint32_t columns = get_arg_val<uint32_t>(3);
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(5));
    const uint32_t left = get_arg_val<uint32_t>(6), top = get_arg_val<uint32_t>(7);
    const uint32_t right = get_arg_val<uint32_t>(8), bottom = get_arg_val<uint32_t>(9);
    constexpr uint32_t cb_row = tt::CBIndex::c_0;
    constexpr uint32_t cb_matrix = tt::CBIndex::c_1;
    constexpr auto row_args = TensorAccessorArgs<0>();
    constexpr auto matrix_args = TensorAccessorArgs<row_args.next_compile_time_args_offset()>();
    const auto row = TensorAccessor(row_args, get_arg_val<uint32_t>(0), get_tile_size(cb_row));
    const auto matrix = TensorAccessor(matrix_args, get_arg_val<uint32_t>(1), get_tile_size(cb_matrix));
    auto* ready_word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    auto* sent_word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent);
    *sent_word = VALID;
    const uint32_t receivers = columns - 1;
    for (uint32_t step = 0; step < inner; ++step) {
        cb_reserve_back(cb_row, 1);
        cb_reserve_back(cb_matrix, 1);
        const uint32_t tile = get_write_ptr(cb_row);
        noc_async_read_page(step, row, tile);
        noc_async_read_page(step * columns, matrix, get_write_ptr(cb_matrix));
        noc_async_read_barrier();
#ifndef BROKEN
        noc_semaphore_wait(ready_word, receivers);
        noc_semaphore_set(ready_word, 0);
#endif
        noc_async_write_multicast(tile, get_noc_multicast_addr(left, top, right, bottom, tile), get_tile_size(cb_row),
                                  receivers);
        noc_semaphore_set_multicast(sent, get_noc_multicast_addr(left, top, right, bottom, sent), receivers);
        noc_async_write_barrier();
        cb_push_back(cb_row, 1);
        cb_push_back(cb_matrix, 1);
    }
}
