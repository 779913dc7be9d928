//! Writes the valid tiles of each block of dx, dγ and dβ.

use tilewright_metal::api::DataMovement;

use super::{BLOCK, cb};
use crate::movement::send_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let row_tiles = ctx.compile_time_arg(0);
    let (dx, next) = ctx.tensor_accessor(1, ctx.arg(0));
    let (dgamma, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (dbeta, _) = ctx.tensor_accessor(next, ctx.arg(2));
    let (first, rows) = (ctx.arg(3), ctx.arg(4));
    let outputs = [(cb::DX, dx), (cb::DGAMMA, dgamma), (cb::DBETA, dbeta)];
    for row in first..first + rows {
        for column in (0..row_tiles).step_by(BLOCK as usize) {
            let tiles = BLOCK.min(row_tiles - column);
            for (from, to) in &outputs {
                let tile = row * row_tiles + column;
                send_tiles(ctx, (*from, BLOCK), to, tile..tile + tiles);
            }
            ctx.noc_async_write_barrier();
            outputs.iter().for_each(|(from, _)| ctx.cb_pop_front(*from, BLOCK));
        }
    }
}
