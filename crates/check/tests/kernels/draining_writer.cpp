// Takes a page and gives it back.

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_wait_front(tt::CBIndex::c_0, 1);
    cb_pop_front(tt::CBIndex::c_0, 1);
}
