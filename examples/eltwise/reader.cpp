// Reads both operands' tiles of each block.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "blocks.h"

// The ring always gives a whole block, even where it has fewer tiles, so that none straddles its end.
template <typename Tensor>
void ask_for_tiles(uint32_t cb, uint32_t block, const Tensor& tensor, Tiles tiles) {
    cb_reserve_back(cb, block);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t tile = tiles.start; tile < tiles.end; ++tile) {
        noc_async_read_page(tile, tensor, to);
        to += get_tile_size(cb);
    }
}

void kernel_main() {
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    constexpr uint32_t all = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto first_args = TensorAccessorArgs<2>();
    constexpr auto second_args = TensorAccessorArgs<first_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_first = tt::CBIndex::c_0;
    constexpr uint32_t cb_second = tt::CBIndex::c_1;
    const auto first = TensorAccessor(first_args, get_arg_val<uint32_t>(2), get_tile_size(cb_first));
    const auto second = TensorAccessor(second_args, get_arg_val<uint32_t>(3), get_tile_size(cb_second));
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        const Tiles tiles = tiles_of(index, block, all);
        ask_for_tiles(cb_first, block, first, tiles);
        ask_for_tiles(cb_second, block, second, tiles);
        noc_async_read_barrier();
        cb_push_back(cb_first, block);
        cb_push_back(cb_second, block);
    }
}
