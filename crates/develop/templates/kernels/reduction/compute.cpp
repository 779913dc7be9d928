// Sums the tiles of each row in one section of Dst. The sum is in column 0 of the output's tile.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/reduce.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    constexpr uint32_t row_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t cb_x = tt::CBIndex::c_0;
    constexpr uint32_t cb_scaler = tt::CBIndex::c_1;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_out);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_out);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < row_tiles; ++tile) {
            cb_wait_front(cb_x, 1);
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, 0, 0, 0);
            cb_pop_front(cb_x, 1);
        }
        tile_regs_commit();
        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
    cb_pop_front(cb_scaler, 1);
    reduce_uninit();
}
