// Starts up for each tile instead of once.

#include <cstdint>

#include "compute_kernel_api/compute_kernel_hw_startup.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/tile_move_copy.h"

void kernel_main() {
#ifndef BUG
    // Twice before the first operation is once too often, and does no harm.
    compute_kernel_hw_startup(0, 16);
    compute_kernel_hw_startup(0, 16);
#endif
    for (uint32_t tile = 0; tile < 3; ++tile) {
#ifdef BUG
        compute_kernel_hw_startup(0, 16);
#else
        // An older call that contains the same steps and does not say that it is for once.
        unary_op_init_common(0, 16);
#endif
        copy_tile_to_dst_init_short(0);
        cb_wait_front(0, 1);
        tile_regs_acquire();
        copy_tile(0, 0, 0);
        tile_regs_commit();
        cb_pop_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
