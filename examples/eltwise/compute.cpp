// Combines a block of tiles in each section of Dst; the host says with which operation.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"
#include "blocks.h"

void kernel_main() {
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    constexpr uint32_t all = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    constexpr auto cb_first = tt::CBIndex::c_0;
    constexpr auto cb_second = tt::CBIndex::c_1;
    constexpr auto cb_out = tt::CBIndex::c_16;
    compute_kernel_hw_startup(cb_first, cb_second, cb_out);
    ELTWISE_INIT(cb_first, cb_second);
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        const Tiles of_block = tiles_of(index, block, all);
        const uint32_t tiles = of_block.end - of_block.start;
        cb_wait_front(cb_first, block);
        cb_wait_front(cb_second, block);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            ELTWISE_TILES(cb_first, cb_second, tile, tile, tile);
        }
        tile_regs_commit();
        cb_pop_front(cb_first, block);
        cb_pop_front(cb_second, block);

        cb_reserve_back(cb_out, block);
        tile_regs_wait();
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            pack_tile(tile, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, block);
    }
}
