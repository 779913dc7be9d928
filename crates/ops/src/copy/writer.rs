//! Writes tiles, a block at a time.

use tilewright_metal::api::DataMovement;

use super::program_factory::OUT;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let block = ctx.compile_time_arg(0);
    let (tensor, _) = ctx.tensor_accessor(1, ctx.arg(0));
    let (first, end) = (ctx.arg(1), ctx.arg(1) + ctx.arg(2));
    for start in (first..end).step_by(block as usize) {
        write_tiles(ctx, (OUT, block), &tensor, start..end.min(start + block));
    }
}
