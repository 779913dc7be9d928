// Reads x; the first core sends the bias once all others have room for it.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t me = get_arg_val<uint32_t>(2);
    const uint32_t rounds = get_arg_val<uint32_t>(3);
    const uint32_t ready = get_semaphore(get_arg_val<uint32_t>(4));
    const uint32_t valid = get_semaphore(get_arg_val<uint32_t>(5));
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr auto b_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(0));
    const auto bias = TensorAccessor(b_args, get_arg_val<uint32_t>(1), get_tile_size(1));
    volatile tt_l1_ptr uint32_t* ready_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready);
    volatile tt_l1_ptr uint32_t* valid_p = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid);
    for (uint32_t i = 0; i < rounds; ++i) {
        cb_reserve_back(0, 1);
        noc_async_read_tile(i * 4 + me, x, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
        cb_reserve_back(1, 1);
        const uint32_t at = get_write_ptr(1);
        if (me == 0) {
            noc_async_read_tile(i, bias, at);
            noc_async_read_barrier();
            noc_semaphore_wait(ready_p, 3);
            noc_semaphore_set(ready_p, 0);
            noc_async_write_multicast(at, get_noc_multicast_addr(1, 0, 3, 0, at), get_tile_size(1), 3);
            noc_semaphore_set(valid_p, 1);
            noc_semaphore_set_multicast(valid, get_noc_multicast_addr(1, 0, 3, 0, valid), 3);
            noc_async_write_barrier();
        } else {
            noc_semaphore_set(valid_p, 0);
            noc_semaphore_inc(get_noc_addr(0, 0, ready), 1);
            noc_semaphore_wait(valid_p, 1);
        }
        cb_push_back(1, 1);
    }
    noc_async_atomic_barrier();
}
