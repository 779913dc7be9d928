// Writes each block of y as segments of 32 sticks.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "sticks.h"

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), row_tiles * tile_row_bytes);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t column = 0; column < row_tiles; column += block_tiles) {
            const uint32_t bytes = std::min(block_tiles, row_tiles - column) * tile_row_bytes;
            cb_wait_front(cb_out, block_tiles);
            const uint32_t from = get_read_ptr(cb_out);
            for (uint32_t place = 0; place < tile_rows; ++place) {
                const uint64_t to = y.get_noc_addr(row * tile_rows + place, column * tile_row_bytes);
                noc_async_write(from + place * block_tiles * tile_row_bytes, to, bytes);
            }
            noc_async_write_barrier();
            cb_pop_front(cb_out, block_tiles);
        }
    }
}
