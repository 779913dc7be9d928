// Writes the core's tile of the product.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = tt::CBIndex::c_16;
    const auto product = TensorAccessor(TensorAccessorArgs<0>(), get_arg_val<uint32_t>(0), get_tile_size(cb));
    cb_wait_front(cb, 1);
    noc_async_write_page(get_arg_val<uint32_t>(1), product, get_read_ptr(cb));
    noc_async_write_barrier();
    cb_pop_front(cb, 1);
}
