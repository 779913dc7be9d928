//! Writes dγ and dβ of each pair, or sends this core's part to the core that adds the parts up.

use tilewright_metal::CoreCoord;
use tilewright_metal::api::DataMovement;

use super::{PAIR, Plan};
use crate::layernorm::cb;
use crate::movement::write_tiles;

pub(super) fn kernel(ctx: &DataMovement<'_>, plan: Plan) {
    let (dgamma, next) = ctx.tensor_accessor(0, ctx.arg(0));
    let (dbeta, _) = ctx.tensor_accessor(next, ctx.arg(1));
    let (first_pair, pairs, place) = (ctx.arg(2), ctx.arg(3), ctx.arg(6));
    if place > 0 {
        return send_part(ctx, place, CoreCoord::new(ctx.arg(7) as u8, ctx.arg(8) as u8));
    }
    for pair in first_pair..first_pair + pairs {
        let tiles = pair * PAIR..pair * PAIR + plan.tiles_of(pair);
        write_tiles(ctx, (cb::OUT, PAIR), &dgamma, tiles.clone());
        write_tiles(ctx, (cb::DBETA, PAIR), &dbeta, tiles);
    }
}

/// Puts this core's sums into its own slot on the root, then raises the root's semaphore. Buffers
/// have the same addresses on every core.
fn send_part(ctx: &DataMovement<'_>, place: u32, root: CoreCoord) {
    let bytes = 2 * PAIR * ctx.get_tile_size(cb::PARTIAL_OUT);
    let slot = ctx.get_write_ptr(cb::PARTIAL_IN) + (place - 1) * bytes;
    ctx.cb_wait_front(cb::PARTIAL_OUT, 2 * PAIR);
    let from = ctx.get_read_ptr(cb::PARTIAL_OUT);
    ctx.noc_async_write(from, ctx.get_noc_addr(root, slot), bytes);
    ctx.noc_async_write_barrier();
    ctx.noc_semaphore_inc(ctx.get_noc_addr(root, ctx.get_semaphore(0)), 1);
    ctx.noc_async_atomic_barrier();
    ctx.cb_pop_front(cb::PARTIAL_OUT, 2 * PAIR);
}
