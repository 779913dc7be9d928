// Reads tiles, a page at a time.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t end = first + get_arg_val<uint32_t>(2);
    constexpr auto in_args = TensorAccessorArgs<0>();
    const auto in = TensorAccessor(in_args, get_arg_val<uint32_t>(0));
    constexpr uint32_t cb_in = 0;
    for (uint32_t tile = first; tile < end; ++tile) {
        cb_reserve_back(cb_in, 1);
        noc_async_read_tile(tile, in, get_write_ptr(cb_in));
#ifndef NO_BARRIER
        noc_async_read_barrier();
#endif
        cb_push_back(cb_in, 1);
    }
    noc_async_read_barrier();
}
