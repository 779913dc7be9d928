// Has the tiles of the row sent to it; reads its own column of the matrix.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t inner = get_arg_val<uint32_t>(1);
    const uint32_t columns = get_arg_val<uint32_t>(2);
    const uint32_t column = get_arg_val<uint32_t>(3);
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t sent = get_semaphore(get_arg_val<uint32_t>(5));
    constexpr uint32_t cb_row = tt::CBIndex::c_0;
    constexpr uint32_t cb_matrix = tt::CBIndex::c_1;
    const auto matrix = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), get_tile_size(cb_matrix));
    const uint64_t sender_ready = get_noc_addr(get_arg_val<uint32_t>(6), get_arg_val<uint32_t>(7), ready);
    auto* sent_word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent);
    for (uint32_t step = 0; step < inner; ++step) {
        cb_reserve_back(cb_row, 1);
        cb_reserve_back(cb_matrix, 1);
        noc_async_read_page(step * columns + column, matrix, get_write_ptr(cb_matrix));
        noc_semaphore_set(sent_word, INVALID);
        noc_semaphore_inc(sender_ready, 1);
        noc_semaphore_wait(sent_word, VALID);
        noc_async_read_barrier();
        cb_push_back(cb_row, 1);
        cb_push_back(cb_matrix, 1);
    }
    noc_async_atomic_barrier();
}
