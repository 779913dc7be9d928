// A wait for an exact value that a second increment may carry past.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0), s = get_semaphore(0);
    uint64_t other = get_noc_addr(1 - me, 0, s);
    for (uint32_t round = 1; round <= 20; ++round) {
        if (me == 1) {
            noc_semaphore_wait(at(s), round);
            noc_semaphore_inc(other, 1);
            noc_async_atomic_barrier();
            work(WORK);
            continue;
        }
        noc_semaphore_inc(other, 1);
        noc_async_atomic_barrier();
#ifdef BUG
        if (round == 7) {
            noc_semaphore_inc(other, 1);
            noc_async_atomic_barrier();
            noc_semaphore_wait(at(s), round);
            noc_semaphore_wait(at(s), ++round);
            continue;
        }
#endif
        noc_semaphore_wait(at(s), round);
    }
}
