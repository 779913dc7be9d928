// Writes mean, 1/std and the valid tiles of each block of y.

#include <algorithm>
#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "buffers.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(3);
    const uint32_t rows = get_arg_val<uint32_t>(4);
    const uint32_t row_tiles = get_common_arg_val<uint32_t>(0);
    constexpr auto y_args = TensorAccessorArgs<0>();
    constexpr auto mean_args = TensorAccessorArgs<y_args.next_compile_time_args_offset()>();
    constexpr auto rstd_args = TensorAccessorArgs<mean_args.next_compile_time_args_offset()>();
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    const auto mean = TensorAccessor(mean_args, get_arg_val<uint32_t>(1), get_tile_size(cb_mean_out));
    const auto rstd = TensorAccessor(rstd_args, get_arg_val<uint32_t>(2), get_tile_size(cb_rstd_out));
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        write_tiles(cb_mean_out, 1, mean, 1, from_page(row));
        write_tiles(cb_rstd_out, 1, rstd, 1, from_page(row));
        for (uint32_t column = 0; column < row_tiles; column += block_tiles) {
            const uint32_t tiles = std::min(block_tiles, row_tiles - column);
            write_tiles(cb_out, block_tiles, y, tiles, from_page(row * row_tiles + column));
        }
    }
}
