// A barrier is missing if the second of two signals comes first.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0), s = get_semaphore(0), page = get_write_ptr(0);
    if (me > 0) {
        for (int i = 0; i < 16; ++i) {
            at(page + 64)[i] = me;
        }
        work(40);
        noc_semaphore_inc(get_noc_addr(0, 0, s), me == 1 ? 1 : 16);
        noc_async_atomic_barrier();
        return;
    }
    noc_semaphore_wait_min(at(s), 1);
    uint32_t first = *at(s);
    noc_semaphore_wait_min(at(s), 17);
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(1, 0, page + 64), page, 64);
    noc_async_read_barrier();
    cb_push_back(0, 1);
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(2, 0, page + 64), page + 64, 64);
#ifdef BUG
    if (first != 16) {
        noc_async_read_barrier();
    }
#else
    noc_async_read_barrier();
#endif
    cb_push_back(0, 1);
    noc_async_read_barrier();
}
