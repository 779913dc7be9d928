// Reads tiles; asserts what came by position besides the names.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "api/debug/assert.h"
#include "experimental/kernel_args.h"

void kernel_main() {
    constexpr uint32_t step = get_arg(args::step);
    const uint32_t first = get_arg(args::first);
    const uint32_t end = first + get_arg(args::tiles);
    ASSERT(get_arg(args::far) == 0x100000);
    // After the names: the named ones and the two tensors' addresses, the two named ones of the core.
    ASSERT(get_compile_time_arg_val(0) == 77);
    ASSERT(get_common_arg_val<uint32_t>(3) == 78);
    ASSERT(get_arg_val<uint32_t>(2) == 79);
    ASSERT(*reinterpret_cast<volatile uint32_t*>(get_semaphore(sem::go)) == 5);
    DataflowBuffer in(dfb::in);
    const auto src = TensorAccessor(tensor::src);
    for (uint32_t tile = first; tile < end; tile += step) {
        in.reserve_back(1);
        noc_async_read_page(tile, src, in.get_write_ptr());
        noc_async_read_barrier();
        in.push_back(1);
    }
}
