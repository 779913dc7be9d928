// Writes the result's tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, get_arg_val<uint32_t>(1), get_tile_size(16));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(16, 1);
        noc_async_write_page(tile, y, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
