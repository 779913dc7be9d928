// Transfers that no barrier covers when the kernel returns, though all are complete.

#include "trial.h"

void kernel_main() {
    uint32_t me = get_arg_val<uint32_t>(0), page = get_write_ptr(0);
    if (me != 0) {
        return;
    }
#if defined INCREMENT
    noc_semaphore_inc(get_noc_addr(1, 0, get_semaphore(0)), 1);
#ifndef BUG
    noc_async_atomic_barrier();
#endif
#elif defined OTHER_NOC
    noc_async_write(page, get_noc_addr(1, 0, page, 1), 64, 1);
#ifdef BUG
    noc_async_write_barrier(0);
#else
    noc_async_write_barrier(1);
#endif
#elif defined TRANSACTION
    noc_async_write_one_packet_with_trid(page, get_noc_addr(1, 0, page), 64, 5);
#ifdef BUG
    noc_async_write_barrier_with_trid(4);
#else
    noc_async_write_barrier_with_trid(5);
#endif
#elif defined POSTED
    noc_async_write<NOC_MAX_BURST_SIZE + 1, true, true>(page, get_noc_addr(1, 0, page), 64);
#ifdef BUG
    noc_async_write_barrier();
#else
    noc_async_posted_writes_flushed();
#endif
#elif defined FLUSHED
    noc_async_write(page, get_noc_addr(1, 0, page), 64);
    noc_async_writes_flushed();
#ifndef BUG
    noc_async_write_barrier();
#endif
#else
    noc_async_read(get_noc_addr(1, 0, page), page, 64);
#ifndef BUG
    while (!ncrisc_noc_reads_flushed(noc_index)) {
    }
#endif
#endif
    work(20000);
}
