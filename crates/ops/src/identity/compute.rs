//! Tilizes a block of sticks, then writes its tiles as sticks again.

use tilewright_metal::api::Compute;

use super::program_factory::{STICKS_IN, STICKS_OUT, TILES};

pub(super) fn kernel(ctx: &Compute<'_>) {
    let (block, blocks) = (ctx.compile_time_arg(0), ctx.arg(0));
    ctx.compute_kernel_hw_startup(STICKS_IN, STICKS_IN, TILES);
    for _ in 0..blocks {
        ctx.tilize_init(STICKS_IN, block, TILES);
        ctx.cb_wait_front(STICKS_IN, block);
        ctx.cb_reserve_back(TILES, block);
        ctx.tilize_block(STICKS_IN, block, TILES);
        ctx.cb_push_back(TILES, block);
        ctx.cb_pop_front(STICKS_IN, block);
        ctx.tilize_uninit(STICKS_IN, TILES);

        ctx.pack_untilize_init(block, block, TILES, STICKS_OUT);
        ctx.cb_wait_front(TILES, block);
        ctx.cb_reserve_back(STICKS_OUT, block);
        ctx.pack_untilize_block(block, TILES, STICKS_OUT, 0);
        ctx.cb_push_back(STICKS_OUT, block);
        ctx.cb_pop_front(TILES, block);
        ctx.pack_untilize_uninit(TILES);
    }
}
