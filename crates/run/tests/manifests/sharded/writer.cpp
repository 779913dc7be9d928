// Waits for the shard of the output: its ring is the tensor.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb_out = 16;
    static_assert(NOC_INDEX == 0, "the manifest says which network it is");
    cb_wait_front(cb_out, get_arg_val<uint32_t>(0));
}
