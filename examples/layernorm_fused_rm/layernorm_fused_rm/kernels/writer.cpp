// Writes each tile of the output as segments of 32 sticks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"

// One row of one tile of bf16.
constexpr uint32_t tile_row_bytes = 64;

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    constexpr uint32_t stick_bytes = get_compile_time_arg_val(0);
    constexpr uint32_t row_sticks = get_compile_time_arg_val(1);
    constexpr auto out_args = TensorAccessorArgs<2>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto out = TensorAccessor(out_args, get_arg_val<uint32_t>(0), stick_bytes);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t offset = 0; offset < stick_bytes; offset += tile_row_bytes) {
            cb_wait_front(cb_out, 1);
            uint32_t from = get_read_ptr(cb_out);
            for (uint32_t stick = row * row_sticks; stick < (row + 1) * row_sticks; ++stick) {
                noc_async_write(from, out.get_noc_addr(stick, offset), tile_row_bytes);
                from += tile_row_bytes;
            }
            noc_async_write_barrier();
            cb_pop_front(cb_out, 1);
        }
    }
}
