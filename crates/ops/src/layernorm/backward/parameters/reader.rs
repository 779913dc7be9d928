//! Reads x and dy of a pair of columns row by row, with the row's mean and 1/std; then lets the
//! parts of other cores in.

use tilewright_metal::api::DataMovement;

use super::{PAIR, Plan};
use crate::l1_tiles::{push_ones, push_row_mask};
use crate::layernorm::cb;
use crate::movement::ask_for_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (x, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (mean, next) = ctx.tensor_accessor(next, ctx.arg(1));
    let (rstd, next) = ctx.tensor_accessor(next, ctx.arg(2));
    let (dy, _) = ctx.tensor_accessor(next, ctx.arg(3));
    let (first_pair, pairs) = (ctx.arg(4), ctx.arg(5));
    let (first_row, rows, place) = (ctx.arg(6), ctx.arg(7), ctx.arg(8));
    push_ones(ctx, cb::ONES);
    if plan.has_mask() {
        push_row_mask(ctx, cb::MASK, plan.last_rows);
    }
    for pair in first_pair..first_pair + pairs {
        for row in first_row..first_row + rows {
            let (first, tiles) = (row * plan.row_tiles + pair * PAIR, plan.tiles_of(pair));
            ask_for_tiles(ctx, (cb::MEAN, 1), &mean, row..row + 1);
            ask_for_tiles(ctx, (cb::RSTD, 1), &rstd, row..row + 1);
            ask_for_tiles(ctx, (cb::X, PAIR), &x, first..first + tiles);
            ask_for_tiles(ctx, (cb::DY, PAIR), &dy, first..first + tiles);
            ctx.noc_async_read_barrier();
            ctx.cb_push_back(cb::MEAN, 1);
            ctx.cb_push_back(cb::RSTD, 1);
            ctx.cb_push_back(cb::X, PAIR);
            ctx.cb_push_back(cb::DY, PAIR);
        }
    }
    if plan.sharers > 1 && place == 0 {
        let parts = 2 * PAIR * (plan.sharers - 1);
        ctx.cb_reserve_back(cb::PARTIAL_IN, parts);
        ctx.noc_semaphore_wait(ctx.get_semaphore(0), plan.sharers - 1);
        ctx.cb_push_back(cb::PARTIAL_IN, parts);
    }
}
