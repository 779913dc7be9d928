// Writes rows of tiles, block by block.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_row = get_arg_val<uint32_t>(1);
    const uint32_t rows = get_arg_val<uint32_t>(2);
    const uint32_t block = get_common_arg_val<uint32_t>(0);
    const uint32_t blocks = get_common_arg_val<uint32_t>(1);
    constexpr auto y_args = TensorAccessorArgs<0>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto y = TensorAccessor(y_args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    for (uint32_t part = first_row * blocks; part < (first_row + rows) * blocks; ++part) {
        write_tiles(cb_out, block, y, block, from_page(part * block));
    }
}
