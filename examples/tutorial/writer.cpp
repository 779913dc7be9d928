// Sends the result's tile to its place.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto y_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb_y = tt::CBIndex::c_16;
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), get_tile_size(cb_y));
    cb_wait_front(cb_y, 1);
    noc_async_write_page(0, y, get_read_ptr(cb_y));
    noc_async_write_barrier();
    cb_pop_front(cb_y, 1);
}
