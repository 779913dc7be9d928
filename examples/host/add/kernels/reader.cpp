// Reads tiles of both operands.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t start = get_arg_val<uint32_t>(2);
    const uint32_t tiles = get_arg_val<uint32_t>(3);
    constexpr uint32_t cb_first = tt::CBIndex::c_0;
    constexpr uint32_t cb_second = tt::CBIndex::c_1;
    constexpr auto first_args = TensorAccessorArgs<0>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(0), get_tile_size(cb_first));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(1), get_tile_size(cb_second));
    for (uint32_t tile = start; tile < start + tiles; ++tile) {
        cb_reserve_back(cb_first, 1);
        cb_reserve_back(cb_second, 1);
        noc_async_read_page(tile, first, get_write_ptr(cb_first));
        noc_async_read_page(tile, second, get_write_ptr(cb_second));
        noc_async_read_barrier();
        cb_push_back(cb_first, 1);
        cb_push_back(cb_second, 1);
    }
}
