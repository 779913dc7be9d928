// Takes three tiles.

#include "trial.h"

void kernel_main() {
    for (uint32_t tile = 0; tile < 3; ++tile) {
        cb_wait_front(16, 1);
        ASSERT(at(get_read_ptr(16))[0] == 0x3f803f80);
        cb_pop_front(16, 1);
    }
}
