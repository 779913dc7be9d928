//! Writes the valid tiles of each block of dx.

use tilewright_metal::api::DataMovement;

use super::Plan;
use super::compute::BLOCK;
use crate::layernorm::cb;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (dx, _) = ctx.tensor_accessor(0, ctx.arg(0));
    let (first, rows) = (ctx.arg(1), ctx.arg(2));
    for row in first..first + rows {
        for column in (0..plan.row_tiles).step_by(BLOCK as usize) {
            let tiles = BLOCK.min(plan.row_tiles - column);
            let tile = row * plan.row_tiles + column;
            write_tiles(ctx, (cb::OUT, BLOCK), &dx, tile..tile + tiles);
        }
    }
}
