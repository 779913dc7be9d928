// Gives pages back from which a write may not have left.

#include "trial.h"

void kernel_main() {
    for (uint32_t round = 0; round < 8; ++round) {
        cb_wait_front(0, 1);
        noc_async_write(get_read_ptr(0), get_noc_addr(1, 0, 0x80000 + 64 * round), 64);
#ifndef BUG
        noc_async_writes_flushed();
#endif
        cb_pop_front(0, 1);
    }
    noc_async_write_barrier();
}
