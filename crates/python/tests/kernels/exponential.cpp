// exp of each tile. Faults: FAULT_SEGFAULT writes to address 8, FAULT_ENDLESS_LOOP never ends,
// FAULT_ENDLESS_CALLS neither, but calls the API, FAULT_DEADLOCK asks for more pages than there are.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t cb_in = tt::CBIndex::c_0;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    init_sfpu(cb_in, cb_out);
    exp_tile_init();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
#ifdef FAULT_SEGFAULT
        *reinterpret_cast<volatile uint32_t*>(8) = tile;  // kernel-crash
#endif
#ifdef FAULT_ENDLESS_LOOP
        for (volatile uint32_t turn = 0;; turn = turn + 1) {  // endless-loop
        }
#endif
#ifdef FAULT_ENDLESS_CALLS
        for (;;) {
            exp_tile_init();
        }
#endif
#ifdef FAULT_DEADLOCK
        cb_wait_front(cb_in, 3);  // starved-wait
#endif
        cb_wait_front(cb_in, 1);
        tile_regs_acquire();
        copy_tile(cb_in, 0, 0);
        exp_tile(0);
        tile_regs_commit();
        cb_pop_front(cb_in, 1);
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}
