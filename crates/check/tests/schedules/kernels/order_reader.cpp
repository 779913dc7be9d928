// A barrier is missing if three signals come in one of their six orders.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0), s = get_semaphore(0), page = get_write_ptr(0);
    if (me > 0) {
        for (int i = 0; i < 16; ++i) {
            at(page + 64)[i] = me;
        }
        noc_semaphore_inc(get_noc_addr(0, 0, s), 1 << 4 * (me - 1));
        noc_async_atomic_barrier();
        return;
    }
    noc_semaphore_wait_min(at(s), 1);
    uint32_t first = *at(s), second = first;
    while (second == first && first != 0x111) {
        second = *at(s);
    }
    while (*at(s) != 0x111) {
    }
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(1, 0, page + 64), page, 64);
#ifdef BUG
    if (!(first == 0x100 && second == 0x110)) {
        noc_async_read_barrier();
    }
#else
    noc_async_read_barrier();
#endif
    cb_push_back(0, 1);
    noc_async_read_barrier();
    cb_wait_front(0, 1);
    cb_pop_front(0, 1);
}
