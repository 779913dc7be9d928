// Writes the tiles of a result.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(2), get_tile_size(2));
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        cb_wait_front(2, 1);
        noc_async_write_page(tile, out, get_read_ptr(2));
        noc_async_write_barrier();
        cb_pop_front(2, 1);
    }
}
