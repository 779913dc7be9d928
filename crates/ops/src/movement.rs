//! Blocks of tiles between interleaved tensors and circular buffers.
//!
//! A block always takes all its pages of the ring, even where it has fewer tiles, so that none
//! straddles the end of the ring.

use tilewright_metal::api::DataMovement;
use tilewright_metal::{L1Address, TensorAccessor};

/// Reserves a block of pages and asks for tiles into it. The caller awaits them and pushes.
#[track_caller]
pub(crate) fn ask_for_tiles(
    ctx: &DataMovement<'_>,
    (cb, block): (u8, u32),
    tensor: &TensorAccessor,
    tiles: impl Iterator<Item = u32>,
) -> L1Address {
    ctx.cb_reserve_back(cb, block);
    let (mut to, bytes) = (ctx.get_write_ptr(cb), ctx.get_tile_size(cb));
    let start = to;
    for tile in tiles {
        ctx.noc_async_read_page(tile, tensor, to);
        to = to + bytes;
    }
    start
}

/// Waits for a block of pages, writes its tiles to a tensor and gives the pages back.
#[track_caller]
pub(crate) fn write_tiles(
    ctx: &DataMovement<'_>,
    (cb, block): (u8, u32),
    tensor: &TensorAccessor,
    tiles: impl Iterator<Item = u32>,
) {
    send_tiles(ctx, (cb, block), tensor, tiles);
    ctx.noc_async_write_barrier();
    ctx.cb_pop_front(cb, block);
}

/// Waits for a block of pages and sends its tiles to a tensor. The caller awaits them and pops.
#[track_caller]
pub(crate) fn send_tiles(
    ctx: &DataMovement<'_>,
    (cb, block): (u8, u32),
    tensor: &TensorAccessor,
    tiles: impl Iterator<Item = u32>,
) {
    ctx.cb_wait_front(cb, block);
    let (mut from, bytes) = (ctx.get_read_ptr(cb), ctx.get_tile_size(cb));
    for tile in tiles {
        ctx.noc_async_write_page(tile, tensor, from);
        from = from + bytes;
    }
}
