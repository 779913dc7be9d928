// Reads whole numbers, and then the tiles that they number.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_order = 0;
    constexpr uint32_t cb_tile = 1;
    constexpr auto order_args = TensorAccessorArgs<0>();
    constexpr auto x_args = TensorAccessorArgs<order_args.next_compile_time_args_offset()>();
    constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto order = TensorAccessor(order_args, get_arg_val<uint32_t>(0));
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(1));
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(2));
    cb_reserve_back(cb_order, 1);
    noc_async_read_page(0, order, get_write_ptr(cb_order));
    noc_async_read_barrier();
    const auto numbers = reinterpret_cast<volatile uint32_t*>(get_write_ptr(cb_order));
    const uint32_t at = get_write_ptr(cb_tile);
    for (uint32_t tile = 0; tile < get_arg_val<uint32_t>(3); ++tile) {
        noc_async_read_page(numbers[tile], x, at);
        noc_async_read_barrier();
        noc_async_write_page(tile, y, at);
        noc_async_write_barrier();
    }
    cb_push_back(cb_order, 1);
}
