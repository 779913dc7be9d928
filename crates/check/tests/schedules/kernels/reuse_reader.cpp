// Fills pages.

#include "trial.h"

void kernel_main() {
    for (uint32_t round = 0; round < 8; ++round) {
        cb_reserve_back(0, 1);
        for (int i = 0; i < 16; ++i) {
            at(get_write_ptr(0))[i] = round;
        }
        cb_push_back(0, 1);
    }
}
