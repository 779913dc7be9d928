// Takes pages two at a time, and looks at the second one first by moving its pointer.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (uint32_t pair = 0; pair < 2; ++pair) {
        cb_wait_front(0, 2);
        LocalCBInterface& ring = get_local_cb_interface(0);
        const uint32_t first = ring.fifo_rd_ptr;
        ring.fifo_rd_ptr += ring.fifo_page_size;
        ASSERT(*reinterpret_cast<volatile uint32_t*>(get_read_ptr(0)) == 2 * pair + 1);
        ring.fifo_rd_ptr = first;
        ASSERT(*reinterpret_cast<volatile uint32_t*>(get_read_ptr(0)) == 2 * pair);
        cb_pop_front(0, 2);
    }
}
