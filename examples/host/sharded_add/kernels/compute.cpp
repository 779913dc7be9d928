// Adds the core's tiles; the sums stay in their ring.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
#ifdef BROKEN
    constexpr uint32_t tiles = get_compile_time_arg_val(0) - 1;
#else
    constexpr uint32_t tiles = get_compile_time_arg_val(0);
#endif
    constexpr auto cb_first = tt::CBIndex::c_0;
    constexpr auto cb_second = tt::CBIndex::c_1;
    constexpr auto cb_sum = tt::CBIndex::c_16;
    compute_kernel_hw_startup(cb_first, cb_second, cb_sum);
    add_tiles_init(cb_first, cb_second);
    cb_wait_front(cb_first, tiles);
    cb_wait_front(cb_second, tiles);
    cb_reserve_back(cb_sum, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        add_tiles(cb_first, cb_second, tile, tile, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_sum);
        tile_regs_release();
    }
    cb_push_back(cb_sum, tiles);
    cb_pop_front(cb_first, tiles);
    cb_pop_front(cb_second, tiles);
}
