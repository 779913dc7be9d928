// One vector function, or one operation of the matrix unit, on every tile.
//
// UNARY_INIT and UNARY_TILE are calls on register 0; BINARY_INIT and BINARY_TILES name the calls
// of an operation on two buffers, SFPU_BINARY_TILE that of one on two registers.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/tile_move_copy.h"
#ifdef OPERATION_HEADER
#include OPERATION_HEADER
#endif

void compute_tile() {
#ifdef BINARY_TILES
    BINARY_TILES(0, 1, 0, 0, 0);
#else
    copy_tile_init(0);
    copy_tile(0, 0, 0);
#ifdef SFPU_BINARY_TILE
    copy_tile_init(1);
    copy_tile(1, 0, 1);
    BINARY_INIT();
    SFPU_BINARY_TILE(0, 1, 0);
#else
    UNARY_INIT;
    UNARY_TILE;
#endif
#endif
}

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    constexpr uint32_t second = OPERANDS - 1;
    compute_kernel_hw_startup(0, second, 2);
#ifdef BINARY_TILES
    BINARY_INIT(0, 1);
#endif
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        cb_wait_front(0, 1);
        cb_wait_front(second, 1);
        tile_regs_acquire();
        compute_tile();
        tile_regs_commit();
        cb_pop_front(0, 1);
        if (second != 0) {
            cb_pop_front(second, 1);
        }
        cb_reserve_back(2, 1);
        tile_regs_wait();
        pack_tile(0, 2);
        tile_regs_release();
        cb_push_back(2, 1);
    }
}
