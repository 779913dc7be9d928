// Reads tiles one by one. FAULT_MISSING_READ_BARRIER takes out the barrier.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb));
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(tile, x, get_write_ptr(cb));  // unawaited-read
#ifndef FAULT_MISSING_READ_BARRIER
        noc_async_read_barrier();
#endif
        cb_push_back(cb, 1);
    }
}
