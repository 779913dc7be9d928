// Moves its pointer to the last bytes of the ring, and reads over its end.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_wait_front(0, 2);
    LocalCBInterface& ring = get_local_cb_interface(0);
    const uint32_t first = ring.fifo_rd_ptr;
    ring.fifo_rd_ptr = ring.fifo_limit - 2;
    volatile uint32_t word = *reinterpret_cast<volatile uint32_t*>(get_read_ptr(0));
    ring.fifo_rd_ptr = first;
    cb_pop_front(0, 2);
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);
}
