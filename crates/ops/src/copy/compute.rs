//! Copies blocks of tiles through Dst.

use tilewright_metal::api::Compute;

use super::program_factory::{IN, OUT};

pub(super) fn kernel(ctx: &Compute<'_>) {
    let (block, tiles) = (ctx.compile_time_arg(0), ctx.arg(0));
    ctx.compute_kernel_hw_startup(IN, IN, OUT);
    ctx.copy_tile_init(IN);
    for start in (0..tiles).step_by(block as usize) {
        let here = block.min(tiles - start);
        ctx.cb_wait_front(IN, block);
        ctx.tile_regs_acquire();
        for tile in 0..here {
            ctx.copy_tile(IN, tile, tile);
        }
        ctx.tile_regs_commit();
        ctx.cb_pop_front(IN, block);
        ctx.cb_reserve_back(OUT, block);
        ctx.tile_regs_wait();
        ctx.pack_block(0, OUT, here);
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, block);
    }
}
