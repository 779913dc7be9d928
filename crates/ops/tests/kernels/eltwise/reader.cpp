// Reads blocks of tiles of two tensors. A block takes all its pages, even where it has fewer tiles.

#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

template <typename Tensor>
void ask_for_tiles(uint32_t cb, uint32_t block, const Tensor& tensor, uint32_t start, uint32_t end) {
    cb_reserve_back(cb, block);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t tile = start; tile < end; ++tile) {
        noc_async_read_page(tile, tensor, to);
        to += get_tile_size(cb);
    }
}

void kernel_main() {
    constexpr uint32_t cb_first = tt::CBIndex::c_0;
    constexpr uint32_t cb_second = tt::CBIndex::c_1;
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto first_args = TensorAccessorArgs<2>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(2));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(3));
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        const uint32_t start = index * block;
        const uint32_t end = std::min(start + block, tiles);
        ask_for_tiles(cb_first, block, first, start, end);
        ask_for_tiles(cb_second, block, second, start, end);
        noc_async_read_barrier();
        cb_push_back(cb_first, block);
        cb_push_back(cb_second, block);
    }
}
