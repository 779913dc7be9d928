// Writes each block's tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "blocks.h"

void kernel_main() {
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    constexpr uint32_t all = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(2), get_tile_size(cb_out));
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        const Tiles tiles = tiles_of(index, block, all);
        cb_wait_front(cb_out, block);
        uint32_t from = get_read_ptr(cb_out);
        for (uint32_t tile = tiles.start; tile < tiles.end; ++tile) {
            noc_async_write_page(tile, out, from);
            from += get_tile_size(cb_out);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, block);
    }
}
