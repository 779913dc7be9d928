//! Sums products of tiles along K in Dst, a block of output tiles at a time.

use tilewright_metal::api::Compute;

use super::blocks::Blocks;
use super::program_factory::{A, B, OUT};

pub(super) fn kernel(ctx: &Compute<'_>) {
    let blocks = Blocks::from_words(|at| ctx.compile_time_arg(at));
    // The second operand of a product goes to SrcA.
    ctx.compute_kernel_hw_startup(B, A, OUT);
    ctx.matmul_init(A, B, false);
    for _ in 0..ctx.arg(0) {
        ctx.tile_regs_acquire();
        for _ in 0..blocks.steps {
            ctx.cb_wait_front(A, blocks.a_tiles());
            ctx.cb_wait_front(B, blocks.b_tiles());
            add_products(ctx, &blocks);
            ctx.cb_pop_front(A, blocks.a_tiles());
            ctx.cb_pop_front(B, blocks.b_tiles());
        }
        ctx.tile_regs_commit();

        ctx.cb_reserve_back(OUT, blocks.tiles());
        ctx.tile_regs_wait();
        ctx.pack_block(0, OUT, blocks.tiles());
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, blocks.tiles());
    }
}

/// One step: each output tile gets its products in the order of K, whatever the block's size.
fn add_products(ctx: &Compute<'_>, blocks: &Blocks) {
    for k in 0..blocks.depth {
        for row in 0..blocks.rows {
            for column in 0..blocks.columns {
                let (a, b) = (row * blocks.depth + k, k * blocks.columns + column);
                ctx.matmul_tiles(A, B, a, b, row * blocks.columns + column);
            }
        }
    }
}
