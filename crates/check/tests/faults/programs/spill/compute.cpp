// Reloads the partial sums, adds a step, and packs them or the result.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/reconfig_data_format.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t kt = get_arg_val<uint32_t>(1);
    const uint32_t nt = get_arg_val<uint32_t>(2);
    mm_init(0, 1, 24);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t k = 0; k < kt; ++k) {
            const bool last = k + 1 == kt;
            tile_regs_acquire();
            if (k > 0) {
                reconfig_data_format_srca(24);
                copy_tile_to_dst_init_short(24);
                cb_wait_front(24, nt);
                for (uint32_t n = 0; n < nt; ++n) copy_tile(24, n, n);
                cb_pop_front(24, nt);
                reconfig_data_format_srca(1);
                mm_init_short(0, 1);
            }
            cb_wait_front(0, 1);
            cb_wait_front(1, nt);
            for (uint32_t n = 0; n < nt; ++n) matmul_tiles(0, 1, 0, n, n);
            cb_pop_front(0, 1);
            cb_pop_front(1, nt);
            tile_regs_commit();
            const uint32_t to = last ? 16 : 24;
            cb_reserve_back(to, nt);
            tile_regs_wait();
            pack_reconfig_data_format(to);
            for (uint32_t n = 0; n < nt; ++n) pack_tile(n, to);
            tile_regs_release();
            cb_push_back(to, nt);
        }
    }
}
