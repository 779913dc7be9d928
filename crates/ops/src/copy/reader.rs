//! Reads tiles, a block at a time.

use tilewright_metal::api::DataMovement;

use super::program_factory::IN;
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let block = ctx.compile_time_arg(0);
    let (tensor, _) = ctx.tensor_accessor(1, ctx.arg(0));
    let (first, end) = (ctx.arg(1), ctx.arg(1) + ctx.arg(2));
    for start in (first..end).step_by(block as usize) {
        ask_for_tiles(ctx, (IN, block), &tensor, start..end.min(start + block));
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(IN, block);
    }
}
