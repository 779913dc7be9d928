// Writes the tiles of the output, one by one.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first_tile = get_arg_val<uint32_t>(1);
    const uint32_t tiles = get_arg_val<uint32_t>(2);
    constexpr uint32_t page_bytes = get_compile_time_arg_val(0);
    constexpr auto out_args = TensorAccessorArgs<2>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(0), page_bytes);
    for (uint32_t tile = first_tile; tile < first_tile + tiles; ++tile) {
        cb_wait_front(cb_out, 1);
        noc_async_write_page(tile, out, get_read_ptr(cb_out));
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
