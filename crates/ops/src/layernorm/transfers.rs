//! Moving tiles between interleaved tensors and circular buffers.

use tilewright_metal::TensorAccessor;
use tilewright_metal::api::DataMovement;

/// Reserves `pages` pages and asks for `tiles` tiles into them; the caller waits and pushes.
pub(super) fn read_tiles(
    ctx: &DataMovement<'_>,
    to: u8,
    from: &TensorAccessor,
    first: u32,
    tiles: u32,
    pages: u32,
) {
    ctx.cb_reserve_back(to, pages);
    let (at, bytes) = (ctx.get_write_ptr(to), ctx.get_tile_size(to));
    for tile in 0..tiles {
        ctx.noc_async_read_page(first + tile, from, at + tile * bytes);
    }
}

/// Waits for `pages` pages and sends the first `tiles` of them; the caller waits and pops.
pub(super) fn write_tiles(
    ctx: &DataMovement<'_>,
    from: u8,
    to: &TensorAccessor,
    first: u32,
    tiles: u32,
    pages: u32,
) {
    ctx.cb_wait_front(from, pages);
    let (at, bytes) = (ctx.get_read_ptr(from), ctx.get_tile_size(from));
    for tile in 0..tiles {
        ctx.noc_async_write_page(first + tile, to, at + tile * bytes);
    }
}
