// Reads both pages.

#include "trial.h"

void kernel_main() {
    if (get_arg_val<uint32_t>(0) != 0) {
        return;
    }
    for (int page = 0; page < 2; ++page) {
        cb_wait_front(0, 1);
        volatile uint32_t value = at(get_read_ptr(0))[0];
        cb_pop_front(0, 1);
    }
}
