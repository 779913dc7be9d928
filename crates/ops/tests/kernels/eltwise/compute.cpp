// Adds blocks of tiles, one section of Dst each.

#include <algorithm>
#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    constexpr auto cb_first = tt::CBIndex::c_0;
    constexpr auto cb_second = tt::CBIndex::c_1;
    constexpr auto cb_out = tt::CBIndex::c_16;
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
    constexpr uint32_t block = get_compile_time_arg_val(1);
    const uint32_t first_block = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(cb_first, cb_second, cb_out);
    add_init(cb_first, cb_second);
    for (uint32_t index = first_block; index < first_block + blocks; ++index) {
        const uint32_t here = std::min(block, tiles - index * block);
        cb_wait_front(cb_first, block);
        cb_wait_front(cb_second, block);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < here; ++tile) {
            add_tiles(cb_first, cb_second, tile, tile, tile);
        }
        tile_regs_commit();
        cb_pop_front(cb_first, block);
        cb_pop_front(cb_second, block);

        cb_reserve_back(cb_out, block);
        tile_regs_wait();
        for (uint32_t tile = 0; tile < here; ++tile) {
            pack_tile(tile, cb_out);
        }
        tile_regs_release();
        cb_push_back(cb_out, block);
    }
}
