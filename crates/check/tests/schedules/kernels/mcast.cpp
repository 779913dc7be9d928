// A multicast to receivers of which some may not be ready.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0);
    constexpr uint32_t cores = 4;
    uint32_t page = get_write_ptr(0), ready = get_semaphore(0), valid = get_semaphore(1);
    for (uint32_t round = 1; round <= 3; ++round) {
        if (me == 0) {
#ifndef BUG
            noc_semaphore_wait(at(ready), cores - 1);
            noc_semaphore_set(at(ready), 0);
#endif
            for (uint32_t i = 0; i < 16; ++i) {
                at(page)[i] = round * 1000 + i;
            }
            uint64_t all = get_noc_multicast_addr(1, 0, cores - 1, 0, page);
            noc_async_write_multicast(page, all, 64, cores - 1);
            noc_async_write_barrier();
            *at(valid) = 1;
            uint64_t flags = get_noc_multicast_addr(1, 0, cores - 1, 0, valid);
            noc_semaphore_set_multicast(valid, flags, cores - 1);
            noc_async_write_barrier();
        } else {
            work(me * 300);
            noc_semaphore_set(at(valid), 0);
            noc_semaphore_inc(get_noc_addr(0, 0, ready), 1);
            noc_async_atomic_barrier();
            noc_semaphore_wait(at(valid), 1);
            for (uint32_t i = 0; i < 16; ++i) {
                ASSERT(at(page)[i] == round * 1000 + i);
            }
        }
    }
}
