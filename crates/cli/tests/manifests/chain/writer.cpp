// Writes tiles, a page at a time.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t end = first + get_arg_val<uint32_t>(2);
    constexpr auto out_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(0));
    constexpr uint32_t cb_out = 16;
    for (uint32_t tile = first; tile < end; ++tile) {
        cb_wait_front(cb_out, 1);
        noc_async_write_tile(tile, out, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
