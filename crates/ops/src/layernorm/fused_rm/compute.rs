//! Tilizes sticks, normalises tile-rows as `forward` does, and untilizes y out of Dst.

use tilewright_metal::api::Compute;

use super::program_factory::block_tiles;
use crate::layernorm::forward::compute::{BLOCK, Forward, Plan};
use crate::layernorm::row::{Row, TilizePages};
use crate::layernorm::{Path, cb};

pub(super) fn kernel(ctx: &Compute<'_>, plan: Plan) {
    ctx.compute_kernel_hw_startup(cb::STICKS, cb::ONES, cb::X);
    ctx.cb_wait_front(cb::ONES, 1);
    ctx.cb_wait_front(cb::ZEROS, 1);
    let forward = Forward { row: Row { ctx, format: plan.format }, plan };
    if plan.path == Path::Row {
        tilize_row(&forward, cb::GAMMA);
        tilize_row(&forward, cb::BETA);
    }
    for _ in 0..ctx.arg(0) {
        if plan.path == Path::Row {
            tilize_row(&forward, cb::X);
        }
        forward.statistics();
        forward.outputs(|tiles| untilize(ctx, tiles));
        ctx.cb_pop_front(cb::MEAN, 1);
        ctx.cb_pop_front(cb::RSTD, 1);
        if plan.path == Path::Row {
            ctx.cb_pop_front(cb::X, plan.row_tiles);
        }
    }
}

/// A whole row into a buffer that holds exactly one, so that no block of it wraps.
fn tilize_row(forward: &Forward<'_>, to: u8) {
    let (block, row_tiles) = (block_tiles(Path::Row), forward.plan.row_tiles);
    for first in (0..row_tiles).step_by(block as usize) {
        let tiles = block.min(row_tiles - first);
        forward.row.tilize(tiles, TilizePages { sticks: block, tiles }, to);
    }
    forward.row.ctx.cb_wait_front(to, row_tiles);
}

/// A block of Dst as 32 sticks that lie a whole block apart; then tiles are packed as tiles again.
fn untilize(ctx: &Compute<'_>, tiles: u32) {
    ctx.cb_reserve_back(cb::OUT, BLOCK);
    ctx.pack_untilize_dest_init(tiles, BLOCK, cb::OUT);
    ctx.pack_untilize_dest(cb::OUT, 0);
    ctx.cb_push_back(cb::OUT, BLOCK);
    ctx.pack_untilize_uninit(cb::OUT);
}
