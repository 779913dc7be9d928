//! Writes the valid tiles of each block of dx, dγ and dβ.

use tilewright_metal::api::DataMovement;

use super::{BLOCK, cb};

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
                ctx.cb_wait_front(*from, BLOCK);
                let (at, bytes) = (ctx.get_read_ptr(*from), ctx.get_tile_size(*from));
                for tile in 0..tiles {
                    let page = row * row_tiles + column + tile;
                    ctx.noc_async_write_page(page, to, at + tile * bytes);
                }
            }
            ctx.noc_async_write_barrier();
            outputs.iter().for_each(|(from, _)| ctx.cb_pop_front(*from, BLOCK));
        }
    }
}
