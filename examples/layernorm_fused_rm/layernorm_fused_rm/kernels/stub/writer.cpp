// Stub of the writer: zeros in every page of the output that is this core's share, so that
// arguments, work split and output can be tested before anything is computed.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t first_unit = get_arg_val<uint32_t>(1);
    const uint32_t units = get_arg_val<uint32_t>(2);
    constexpr uint32_t page_bytes = get_compile_time_arg_val(0);
    constexpr uint32_t unit_pages = get_compile_time_arg_val(1);
    constexpr auto out_args = TensorAccessorArgs<2>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(0), page_bytes);
    const uint32_t ring_pages = (page_bytes + get_tile_size(cb_out) - 1) / get_tile_size(cb_out);
    cb_reserve_back(cb_out, ring_pages);
    const auto words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb_out));
    for (uint32_t word = 0; word < page_bytes / sizeof(uint32_t); ++word) {
        words[word] = 0;
    }
    cb_push_back(cb_out, ring_pages);
    cb_wait_front(cb_out, ring_pages);
    for (uint32_t page = first_unit * unit_pages; page < (first_unit + units) * unit_pages; ++page) {
        noc_async_write(get_read_ptr(cb_out), out.get_noc_addr(page), page_bytes);
    }
    noc_async_write_barrier();
    cb_pop_front(cb_out, ring_pages);
}
