// Reads a core's tiles of both inputs.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_first = 0;
    constexpr uint32_t cb_second = 1;
    constexpr auto first_args = TensorAccessorArgs<0>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(0), get_tile_size(cb_first));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(1), get_tile_size(cb_second));
    const uint32_t tiles = get_arg_val<uint32_t>(3);
    const uint32_t begin = get_arg_val<uint32_t>(2) * tiles;
    for (uint32_t page = begin; page < begin + tiles; ++page) {
        cb_reserve_back(cb_first, 1);
        cb_reserve_back(cb_second, 1);
        noc_async_read_page(page, first, get_write_ptr(cb_first));
        noc_async_read_page(page, second, get_write_ptr(cb_second));
        noc_async_read_barrier();
        cb_push_back(cb_first, 1);
        cb_push_back(cb_second, 1);
    }
}
