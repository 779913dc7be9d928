// One core counts a semaphore down by setting it, another one counts it up.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0), s = get_semaphore(0);
    for (uint32_t i = 0; i < 4; ++i) {
        if (me == 1) {
            noc_semaphore_inc(get_noc_addr(0, 0, s), 1);
            noc_async_atomic_barrier();
            work(20);
            continue;
        }
#ifdef BUG
        noc_semaphore_wait_min(at(s), 1);
        uint32_t value = *at(s);
        work(WORK);
#ifdef RAW
        *at(s) = value - 1;
#else
        noc_semaphore_set(at(s), value - 1);
#endif
#else
        noc_semaphore_wait_min(at(s), i + 1);
#endif
    }
}
