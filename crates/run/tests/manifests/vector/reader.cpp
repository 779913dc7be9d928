// Reads a tile of each operand at a time.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

template <typename Tensor>
void read_tile(uint32_t cb, const Tensor& tensor, uint32_t tile) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(tile, tensor, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr auto first_args = TensorAccessorArgs<0>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    constexpr auto third_args = TensorAccessorArgs<second_args.next_compile_time_args_offset()>();
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(1), get_tile_size(0));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(2), get_tile_size(1));
    const auto third = TensorAccessor(third_args, get_arg_val<uint32_t>(3), get_tile_size(2));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        read_tile(0, first, tile);
        read_tile(1, second, tile);
        read_tile(2, third, tile);
    }
}
