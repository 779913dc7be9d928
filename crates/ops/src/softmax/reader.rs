//! Reads rows of tiles, block by block and once for each pass; padding becomes minus infinity.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::plan::{SCALER, X};
use crate::l1_tiles::{fill_padding, push_scaler};
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let (block, blocks) = (ctx.compile_time_arg(0), ctx.compile_time_arg(1));
    let (passes, valid_columns) = (ctx.compile_time_arg(2), ctx.compile_time_arg(3));
    let (x, _) = ctx.tensor_accessor(4, ctx.arg(0));
    let (first, rows) = (ctx.arg(1), ctx.arg(2));
    let side = TILE_SIDE as u32;
    push_scaler(ctx, SCALER, 1.0);
    for row in first..first + rows {
        for part in (0..passes).flat_map(|_| 0..blocks) {
            let page = (row * blocks + part) * block;
            let start = ask_for_tiles(ctx, (X, block), &x, page..page + block);
            ctx.noc_async_read_barrier();
            if part + 1 == blocks && valid_columns < side {
                let last = start + (block - 1) * ctx.get_tile_size(X);
                fill_padding(ctx, (X, last), (side, valid_columns), f32::NEG_INFINITY);
            }
            ctx.cb_push_back(X, block);
        }
    }
}
