// Writes one tile a row.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t addr = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(args, addr, get_tile_size(16));
    for (uint32_t r = first; r < first + rows; ++r) {
        cb_wait_front(16, 1);
        noc_async_write_tile(r, y, get_read_ptr(16));
        noc_async_write_barrier();
        cb_pop_front(16, 1);
    }
}
