//! Writes the valid part of each block's sticks.

use tilewright_metal::api::DataMovement;

use super::blocks::Blocks;
use super::program_factory::STICKS_OUT;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let blocks = Blocks::of(ctx);
    for block in blocks.iter() {
        ctx.cb_wait_front(STICKS_OUT, blocks.pages);
        let from = ctx.get_read_ptr(STICKS_OUT);
        for stick in 0..block.sticks {
            let at = from + stick * blocks.segment_bytes;
            ctx.noc_async_write(at, blocks.place(&block, stick), block.bytes);
        }
        ctx.noc_async_write_barrier();
        ctx.cb_pop_front(STICKS_OUT, blocks.pages);
    }
}
