// A relay in which data is acknowledged before it was read.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0);
    constexpr uint32_t cores = 8;
    uint32_t page = get_write_ptr(0), there = get_semaphore(0), taken = get_semaphore(1);
    for (uint32_t round = 1; round <= 5; ++round) {
        if (me == 0) {
            for (uint32_t i = 0; i < 16; ++i) {
                at(page)[i] = round * 100 + i;
            }
        } else {
            noc_semaphore_wait_min(at(there), round);
#ifdef BUG
            noc_semaphore_inc(get_noc_addr(me - 1, 0, taken), 1);
            noc_async_atomic_barrier();
#endif
            for (uint32_t i = 0; i < 16; ++i) {
                ASSERT(at(page)[i] == round * 100 + i);
            }
        }
        if (me + 1 < cores) {
            noc_async_write(page, get_noc_addr(me + 1, 0, page), 64);
            noc_async_write_barrier();
            noc_semaphore_inc(get_noc_addr(me + 1, 0, there), 1);
            noc_async_atomic_barrier();
        }
#ifndef BUG
        if (me > 0) {
            noc_semaphore_inc(get_noc_addr(me - 1, 0, taken), 1);
            noc_async_atomic_barrier();
        }
#endif
        if (me + 1 < cores) {
            noc_semaphore_wait_min(at(taken), round);
        }
    }
}
