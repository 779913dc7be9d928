// Asserts what does not hold, after what does.

#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"

void kernel_main() {
    const uint32_t pages = 1;
    ASSERT(pages == 1);
    cb_reserve_back(tt::CBIndex::c_0, pages);
    ASSERT(get_tile_size(tt::CBIndex::c_0) == 1024);
    cb_push_back(tt::CBIndex::c_0, pages);
}
