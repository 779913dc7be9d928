// Sums products of tiles along K in Dst, a block of output tiles at a time.

#include <cstdint>

#include "api/compute/common.h"
#include "api/compute/matmul.h"
#include "blocks.h"

constexpr uint32_t cb_a = tt::CBIndex::c_0;
constexpr uint32_t cb_b = tt::CBIndex::c_1;
constexpr uint32_t cb_out = tt::CBIndex::c_16;

// One step: each output tile gets its products in the order of K, whatever the block's size.
void add_products(const Blocks& blocks) {
    for (uint32_t k = 0; k < blocks.depth; ++k) {
        for (uint32_t row = 0; row < blocks.rows; ++row) {
            for (uint32_t column = 0; column < blocks.columns; ++column) {
                const uint32_t a_tile = row * blocks.depth + k;
                const uint32_t b_tile = k * blocks.columns + column;
                matmul_tiles(cb_a, cb_b, a_tile, b_tile, row * blocks.columns + column);
            }
        }
    }
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    const Blocks blocks = blocks_of_host();
#ifndef FAULT_MISSING_STARTUP
    // The second operand of a product goes to SrcA.
    compute_kernel_hw_startup(cb_b, cb_a, cb_out);
#endif
    matmul_init(cb_a, cb_b);
    for (uint32_t block = 0; block < count; ++block) {
        tile_regs_acquire();
        for (uint32_t step = 0; step < blocks.steps; ++step) {
            cb_wait_front(cb_a, blocks.a_tiles());
            cb_wait_front(cb_b, blocks.b_tiles());
            add_products(blocks);
            cb_pop_front(cb_a, blocks.a_tiles());
            cb_pop_front(cb_b, blocks.b_tiles());
        }
        tile_regs_commit();

        cb_reserve_back(cb_out, blocks.tiles());
        tile_regs_wait();
        pack_block(0, cb_out, blocks.tiles());
        tile_regs_release();
        cb_push_back(cb_out, blocks.tiles());
    }
}
