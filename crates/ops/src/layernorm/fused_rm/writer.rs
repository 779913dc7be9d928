//! Writes each block of y as segments of 32 sticks.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::program_factory::TILE_ROW_BYTES;
use crate::layernorm::cb;
use crate::layernorm::forward::compute::{BLOCK, Plan};

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (y, _) = ctx.tensor_accessor(0, ctx.arg(0));
    let (first, rows) = (ctx.arg(1), ctx.arg(2));
    for row in first..first + rows {
        for column in (0..plan.row_tiles).step_by(BLOCK as usize) {
            let bytes = BLOCK.min(plan.row_tiles - column) * TILE_ROW_BYTES;
            ctx.cb_wait_front(cb::OUT, BLOCK);
            let from = ctx.get_read_ptr(cb::OUT);
            for place in 0..TILE_SIDE as u32 {
                let stick = row * TILE_SIDE as u32 + place;
                let to = y.page_offset(stick, column * TILE_ROW_BYTES);
                ctx.noc_async_write(from + place * BLOCK * TILE_ROW_BYTES, to, bytes);
            }
            ctx.noc_async_write_barrier();
            ctx.cb_pop_front(cb::OUT, BLOCK);
        }
    }
}
