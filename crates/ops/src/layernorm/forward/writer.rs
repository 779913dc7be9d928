//! Writes mean, 1/std and the valid tiles of each block of y.

use tilewright_metal::api::DataMovement;

use super::compute::{BLOCK, Plan};
use crate::layernorm::cb;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (y, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (rstd, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    for row in first..first + rows {
        write_tiles(ctx, (cb::MEAN_OUT, 1), &mean, row..row + 1);
        write_tiles(ctx, (cb::RSTD_OUT, 1), &rstd, row..row + 1);
        for column in (0..plan.row_tiles).step_by(BLOCK as usize) {
            let tiles = BLOCK.min(plan.row_tiles - column);
            let tile = row * plan.row_tiles + column;
            write_tiles(ctx, (cb::OUT, BLOCK), &y, tile..tile + tiles);
        }
    }
}
