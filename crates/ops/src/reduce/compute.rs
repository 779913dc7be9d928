//! Reduces the strips of a group side by side, each onto its own tile of Dst.

use tilewright_metal::api::Compute;

use super::Options;
use super::program_factory::{IN, OUT, SCALER};
use super::strips::Strips;

pub(super) fn kernel(ctx: &Compute<'_>, options: Options) {
    let strips = Strips::from_words(|index| ctx.compile_time_arg(index));
    let Options { pool, dim, .. } = options;
    ctx.compute_kernel_hw_startup(IN, SCALER, OUT);
    ctx.reduce_init(pool, dim, IN, SCALER, OUT);
    ctx.cb_wait_front(SCALER, 1);
    for group in ctx.arg(0)..ctx.arg(0) + ctx.arg(1) {
        let results = strips.group(group).len() as u32;
        ctx.tile_regs_acquire();
        for part in strips.parts() {
            ctx.cb_wait_front(IN, strips.block());
            for tile in 0..part.len() as u32 * results {
                ctx.reduce_tile(pool, dim, (IN, tile), (SCALER, 0), tile % results);
            }
            ctx.cb_pop_front(IN, strips.block());
        }
        ctx.tile_regs_commit();

        ctx.cb_reserve_back(OUT, strips.across);
        ctx.tile_regs_wait();
        ctx.pack_block(0, OUT, results);
        ctx.tile_regs_release();
        ctx.cb_push_back(OUT, strips.across);
    }
    ctx.cb_pop_front(SCALER, 1);
    ctx.reduce_uninit();
}
