// Fills both pages of its ring twice, each with its number.
#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (uint32_t page = 0; page < 4; ++page) {
        cb_reserve_back(0, 1);
        auto* at = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));
        for (uint32_t word = 0; word < 512; ++word) {
            at[word] = page;
        }
        cb_push_back(0, 1);
    }
}
