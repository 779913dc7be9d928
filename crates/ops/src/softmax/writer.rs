//! Writes rows of tiles, block by block.

use tilewright_metal::api::DataMovement;

use super::plan::OUT;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let (block, blocks) = (ctx.compile_time_arg(0), ctx.compile_time_arg(1));
    let (y, _) = ctx.tensor_accessor(2, ctx.arg(0));
    let (first, rows) = (ctx.arg(1), ctx.arg(2));
    for part in first * blocks..(first + rows) * blocks {
        write_tiles(ctx, (OUT, block), &y, part * block..(part + 1) * block);
    }
}
