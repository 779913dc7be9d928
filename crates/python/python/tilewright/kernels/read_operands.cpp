// Reads the tiles of one or two operands; OPERANDS says how many.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

template <uint32_t cb, typename Tensor>
void read_tile(const Tensor& tensor, uint32_t tile) {
    cb_reserve_back(cb, 1);
    noc_async_read_page(tile, tensor, get_write_ptr(cb));
    noc_async_read_barrier();
    cb_push_back(cb, 1);
}

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(2), get_tile_size(0));
#if OPERANDS == 2
    constexpr auto y_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(3), get_tile_size(1));
#endif
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        read_tile<0>(x, tile);
#if OPERANDS == 2
        read_tile<1>(y, tile);
#endif
    }
}
