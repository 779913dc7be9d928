// Two processors of a core count a semaphore up; one waits for the sum.

#include "trial.h"

void kernel_main() {
    uint32_t s = get_semaphore(0);
    for (int i = 0; i < 4; ++i) {
#ifdef BUG
        noc_semaphore_set(at(s), *at(s) + 1);
#else
        noc_semaphore_inc(get_noc_addr(0, 0, s), 1);
        noc_async_atomic_barrier();
#endif
    }
#ifdef COMPILE_FOR_NCRISC
    noc_semaphore_wait(at(s), 8);
#endif
}
