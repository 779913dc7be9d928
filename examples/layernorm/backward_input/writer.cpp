// Writes the valid tiles of each block of dx.

#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "buffers.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    constexpr auto dx_args = TensorAccessorArgs<0>();
    const auto dx = TensorAccessor(dx_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t column = 0; column < row_tiles; column += dx_block_tiles) {
            const uint32_t tiles = std::min(dx_block_tiles, row_tiles - column);
            write_tiles(cb_out, dx_block_tiles, dx, tiles, from_page(row * row_tiles + column));
        }
    }
}
