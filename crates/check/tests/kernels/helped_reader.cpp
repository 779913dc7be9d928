// Pushes a page whose read nobody has waited for, by helpers in a header.

#include "ring_helpers.h"

void kernel_main() {
    constexpr uint32_t cb_in = tt::CBIndex::c_0;
    cb_reserve_back(cb_in, 1);
    fetch(cb_in, 0x400);
    give<cb_in>(1);
    noc_async_read_barrier();
}
