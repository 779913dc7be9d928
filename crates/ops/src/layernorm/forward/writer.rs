//! Writes mean, 1/std and the valid tiles of each block of y.

use tilewright_metal::api::DataMovement;

use super::compute::Plan;
use crate::layernorm::cb;
use crate::layernorm::row::BLOCK;
use crate::layernorm::transfers::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (y, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (rstd, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    for row in first..first + rows {
        write_tiles(ctx, cb::MEAN_OUT, &mean, row, 1, 1);
        write_tiles(ctx, cb::RSTD_OUT, &rstd, row, 1, 1);
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(cb::MEAN_OUT, 1);
        ctx.cb_pop_front(cb::RSTD_OUT, 1);
        for column in (0..plan.row_tiles).step_by(BLOCK as usize) {
            let tiles = BLOCK.min(plan.row_tiles - column);
            write_tiles(ctx, cb::OUT, &y, row * plan.row_tiles + column, tiles, BLOCK);
            ctx.noc_async_write_barrier();
            ctx.cb_pop_front(cb::OUT, BLOCK);
        }
    }
}
