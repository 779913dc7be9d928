// Writes the tiles of each block.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "blocks.h"
#include "movement.h"

void kernel_main() {
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const Blocks blocks = blocks_of_host();
    constexpr auto args = TensorAccessorArgs<0>();
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(cb_out));
    for (uint32_t block = first_block; block < first_block + count; ++block) {
        write_tiles(cb_out, blocks.tiles(), out, blocks.tiles(), blocks.out_pages(block));
    }
}
