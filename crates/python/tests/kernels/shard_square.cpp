// Squares the tiles of a shard into a shard. FAULT_MISSING_STARTUP takes out the start-up.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in = tt::CBIndex::c_0;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
#ifndef FAULT_MISSING_STARTUP
    compute_kernel_hw_startup(cb_in, cb_in, cb_out);
#endif
    mul_init(cb_in, cb_in);
    cb_wait_front(cb_in, tiles);
    cb_reserve_back(cb_out, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        mul_tiles(cb_in, cb_in, tile, tile, 0);  // missing-startup
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
    }
    cb_push_back(cb_out, tiles);
    cb_pop_front(cb_in, tiles);
}
