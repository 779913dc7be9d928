// Adds the tiles of two shards.

#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    constexpr uint32_t cb_first = 0;
    constexpr uint32_t cb_second = 1;
    constexpr uint32_t cb_out = 16;
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(cb_first, cb_second, cb_out);
    add_tiles_init(cb_first, cb_second);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_first, 1);
        cb_wait_front(cb_second, 1);
        tile_regs_acquire();
        add_tiles(cb_first, cb_second, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(cb_first, 1);
        cb_pop_front(cb_second, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
