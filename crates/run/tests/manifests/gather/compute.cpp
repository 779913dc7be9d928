// Waits for the numbers, and may add them up in the matrix unit.

#include <cstdint>

#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    constexpr uint32_t cb_order = 0;
    cb_wait_front(cb_order, 1);
#ifdef COMPUTES
    compute_kernel_hw_startup(cb_order, cb_order);
    add_tiles_init(cb_order, cb_order);
    tile_regs_acquire();
    add_tiles(cb_order, cb_order, 0, 0, 0);
    tile_regs_commit();
#endif
    cb_pop_front(cb_order, 1);
}
