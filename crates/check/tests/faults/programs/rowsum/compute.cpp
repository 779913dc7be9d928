// Sums each row of tiles.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/reduce.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t wt = get_arg_val<uint32_t>(1);
    compute_kernel_hw_startup(1, 0, 16);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 16);
    cb_wait_front(1, 1);
    for (uint32_t r = 0; r < rows; ++r) {
        tile_regs_acquire();
        for (uint32_t c = 0; c < wt; ++c) {
            cb_wait_front(0, 1);
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 0, 0, 0);
            cb_pop_front(0, 1);
        }
        tile_regs_commit();
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
    cb_pop_front(1, 1);
    reduce_uninit();
}
