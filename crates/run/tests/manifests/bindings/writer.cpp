// Writes tiles.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"

void kernel_main() {
    const uint32_t first = get_arg(args::first);
    const uint32_t end = first + get_arg(args::tiles);
    DataflowBuffer out(dfb::out);
    const auto dst = TensorAccessor(tensor::dst);
    for (uint32_t tile = first; tile < end; ++tile) {
        out.wait_front(1);
        noc_async_write_page(tile, dst, out.get_read_ptr());
        noc_async_write_barrier();
        out.pop_front(1);
    }
}
