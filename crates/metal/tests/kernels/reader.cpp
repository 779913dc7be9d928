// Reads tiles of two tensors, a page of each at a time.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first_address = get_arg_val<uint32_t>(0);
    const uint32_t second_address = get_arg_val<uint32_t>(1);
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb_first = get_compile_time_arg_val(0);
    constexpr uint32_t cb_second = get_compile_time_arg_val(1);
    constexpr auto first_args = TensorAccessorArgs<2>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    const auto first = TensorAccessor(first_args, first_address, get_tile_size(cb_first));
    const auto second = TensorAccessor(second_args, second_address, get_tile_size(cb_second));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb_first, 1);
        noc_async_read_page(tile, first, get_write_ptr(cb_first));
        cb_reserve_back(cb_second, 1);
        noc_async_read_tile(tile, second, get_write_ptr(cb_second));
        noc_async_read_barrier();
        cb_push_back(cb_first, 1);
        cb_push_back(cb_second, 1);
    }
}
