// Waits for the numbers, and may take them for a tile.

#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t cb_order = 0;
    cb_wait_front(cb_order, 1);
#ifdef COMPUTES
    compute_kernel_hw_startup(cb_order, cb_order);
    copy_tile_init(cb_order);
    tile_regs_acquire();
    copy_tile(cb_order, 0, 0);
    tile_regs_commit();
#endif
    cb_pop_front(cb_order, 1);
}
