// Writes a core's tiles of the output.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_out = 16;
    constexpr auto sum_args = TensorAccessorArgs<0>();
    const auto sum = TensorAccessor(sum_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    const uint32_t begin = get_arg_val<uint32_t>(1) * tiles;
    for (uint32_t page = begin; page < begin + tiles; ++page) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(page, sum, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
