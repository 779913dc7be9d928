// Reads rows of tiles, block by block and once for each pass; padding becomes minus infinity.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "l1_tiles.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t block = get_common_arg_val<uint32_t>(0);
    const uint32_t blocks = get_common_arg_val<uint32_t>(1);
    const uint32_t passes = get_common_arg_val<uint32_t>(2);
    const uint32_t valid_columns = get_common_arg_val<uint32_t>(3);
    constexpr auto x_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb_x = tt::CBIndex::c_0;
    constexpr uint32_t cb_scaler = tt::CBIndex::c_1;
    const auto x = TensorAccessor(x_args, get_arg_val<uint32_t>(0), get_tile_size(cb_x));
    push_scaler(cb_scaler);
    for (uint32_t row = first_row; row < first_row + rows; ++row) {
        for (uint32_t part = 0; part < passes * blocks; ++part) {
            const uint32_t column = part % blocks;
            const uint32_t page = (row * blocks + column) * block;
            const uint32_t start = ask_for_tiles(cb_x, block, x, block, from_page(page));
#ifndef FAULT_MISSING_READ_BARRIER
            noc_async_read_barrier();
#endif
            if (column + 1 == blocks && valid_columns < tile_side) {
                fill_columns(cb_x, start + (block - 1) * get_tile_size(cb_x), valid_columns, bf16_minus_infinity);
            }
            cb_push_back(cb_x, block);
        }
    }
}
