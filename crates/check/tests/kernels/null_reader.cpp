// Writes through a pointer that nobody has set, and pushes.

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile uint32_t* at = nullptr;
    cb_reserve_back(tt::CBIndex::c_0, 1);
    for (uint32_t word = 0; word < 512; ++word) {
        at[word] = 0;
    }
    cb_push_back(tt::CBIndex::c_0, 1);
}
