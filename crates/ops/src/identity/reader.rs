//! Reads 32 sticks' segments for each block; what lies below the last row or right of the last
//! column is zero.

use tilewright_metal::api::DataMovement;
use tilewright_tile::TILE_SIDE;

use super::blocks::Blocks;
use super::program_factory::STICKS_IN;

pub(super) fn kernel(ctx: &DataMovement<'_>) {
    let blocks = Blocks::of(ctx);
    let (rows, segment) = (TILE_SIDE as u32, blocks.segment_bytes);
    for block in blocks.iter() {
        ctx.cb_reserve_back(STICKS_IN, blocks.pages);
        let to = ctx.get_write_ptr(STICKS_IN);
        if block.sticks < rows || block.bytes < segment {
            ctx.write_l1(to, rows * segment, |bytes| bytes.fill(0));
        }
        for stick in 0..block.sticks {
            ctx.noc_async_read(blocks.place(&block, stick), to + stick * segment, block.bytes);
        }
        ctx.noc_async_read_barrier();
        ctx.cb_push_back(STICKS_IN, blocks.pages);
    }
}
