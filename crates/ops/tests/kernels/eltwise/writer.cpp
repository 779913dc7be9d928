// Writes blocks of tiles to a tensor.

#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(2));
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        cb_wait_front(cb_out, block);
        uint32_t from = get_read_ptr(cb_out);
        for (uint32_t tile = index * block; tile < std::min((index + 1) * block, tiles); ++tile) {
            noc_async_write_page(tile, out, from);
            from += get_tile_size(cb_out);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, block);
    }
}
