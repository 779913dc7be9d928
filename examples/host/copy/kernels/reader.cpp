// Reads tiles one after another.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(1);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const auto source = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), get_tile_size(cb));
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(tile, source, get_write_ptr(cb));
#ifndef BROKEN
        noc_async_read_barrier();
#endif
        cb_push_back(cb, 1);
    }
}
