// Adds tiles one after another.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr auto cb_first = tt::CBIndex::c_0;
    constexpr auto cb_second = tt::CBIndex::c_1;
    constexpr auto cb_sum = tt::CBIndex::c_16;
    compute_kernel_hw_startup(cb_first, cb_second, cb_sum);
    add_tiles_init(cb_first, cb_second);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(cb_first, 1);
        cb_wait_front(cb_second, 1);
        tile_regs_acquire();
        add_tiles(cb_first, cb_second, 0, 0, 0);
        tile_regs_commit();
        cb_pop_front(cb_first, 1);
        cb_pop_front(cb_second, 1);
        cb_reserve_back(cb_sum, 1);
        tile_regs_wait();
        pack_tile(0, cb_sum);
        tile_regs_release();
        cb_push_back(cb_sum, 1);
    }
}
