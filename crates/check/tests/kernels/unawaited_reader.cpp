// Pushes a page whose read nobody has waited for.

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_in = tt::CBIndex::c_0;
    cb_reserve_back(cb_in, 1);
    noc_async_read(get_noc_addr_from_bank_id<true>(0, 0x400), get_write_ptr(cb_in), 2048);
    cb_push_back(cb_in, 1);
    noc_async_read_barrier();
}
