// Writes rows of tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t nt = get_arg_val<uint32_t>(3);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(16));
    for (uint32_t r = first; r < first + rows; ++r) {
        cb_wait_front(16, nt);
        uint32_t from = get_read_ptr(16);
        for (uint32_t n = 0; n < nt; ++n) {
            noc_async_write_tile(r * nt + n, c, from);
            from += get_tile_size(16);
        }
        noc_async_writes_flushed();
        cb_pop_front(16, nt);
    }
    noc_async_write_barrier();
}
