// Sums the products of a column in Dst.

#include <cstdint>

#include "api/compute/matmul.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    constexpr uint32_t inner = get_compile_time_arg_val(0);
    constexpr auto cb_row = tt::CBIndex::c_0;
    constexpr auto cb_matrix = tt::CBIndex::c_1;
    constexpr auto cb_product = tt::CBIndex::c_16;
    mm_init(cb_row, cb_matrix, cb_product);
    tile_regs_acquire();
    for (uint32_t step = 0; step < inner; ++step) {
        cb_wait_front(cb_row, 1);
        cb_wait_front(cb_matrix, 1);
        matmul_tiles(cb_row, cb_matrix, 0, 0, 0);
        cb_pop_front(cb_row, 1);
        cb_pop_front(cb_matrix, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_product, 1);
    tile_regs_wait();
    pack_tile(0, cb_product);
    tile_regs_release();
    cb_push_back(cb_product, 1);
}
