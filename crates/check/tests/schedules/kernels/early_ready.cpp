// A receiver says that it is ready before it has cleared its flag.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0);
    uint32_t ready = get_semaphore(0), valid = get_semaphore(1);
    for (uint32_t round = 0; round < 4; ++round) {
        if (me == 0) {
            noc_semaphore_wait(at(ready), 1);
            noc_semaphore_set(at(ready), 0);
            noc_inline_dw_write(get_noc_addr(1, 0, valid), 1);
            noc_async_write_barrier();
        } else {
#ifndef BUG
            noc_semaphore_set(at(valid), 0);
#endif
            noc_semaphore_inc(get_noc_addr(0, 0, ready), 1);
#ifdef BUG
            noc_semaphore_set(at(valid), 0);
#endif
            noc_async_atomic_barrier();
            noc_semaphore_wait(at(valid), 1);
        }
    }
}
