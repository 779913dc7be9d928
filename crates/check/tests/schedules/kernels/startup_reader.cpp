// Fills three tiles with ones.

#include "trial.h"

void kernel_main() {
    for (uint32_t tile = 0; tile < 3; ++tile) {
        cb_reserve_back(0, 1);
        for (uint32_t i = 0; i < 512; ++i) {
            at(get_write_ptr(0))[i] = 0x3f803f80;
        }
        cb_push_back(0, 1);
    }
}
