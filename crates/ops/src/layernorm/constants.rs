//! Tiles that readers make: ones, and the mask of the last tile's features.

use tilewright_metal::api::DataMovement;
use tilewright_tile::{TILE_SIDE, TILE_VALUES, index};

use super::cb;

const ONE_BF16: u16 = 0x3f80;

/// Ones everywhere, bf16.
pub(super) fn push_ones(ctx: &DataMovement<'_>) {
    push_bf16(ctx, cb::ONES, |_, _| ONE_BF16);
}

/// Ones in the first `features % 32` columns, bf16; nothing if the last tile is full.
pub(super) fn push_mask(ctx: &DataMovement<'_>, features: u32) {
    let columns = features as usize % TILE_SIDE;
    if columns > 0 {
        push_bf16(ctx, cb::MASK, |_, column| if column < columns { ONE_BF16 } else { 0 });
    }
}

/// Ones in the first `rows` rows, bf16.
pub(super) fn push_row_mask(ctx: &DataMovement<'_>, rows: u32) {
    push_bf16(ctx, cb::MASK, |row, _| if row < rows as usize { ONE_BF16 } else { 0 });
}

fn push_bf16(ctx: &DataMovement<'_>, to: u8, value: impl Fn(usize, usize) -> u16) {
    ctx.cb_reserve_back(to, 1);
    ctx.write_l1(ctx.get_write_ptr(to), 2 * TILE_VALUES as u32, |bytes| {
        for place in 0..TILE_VALUES {
            let (row, column) = (place / TILE_SIDE, place % TILE_SIDE);
            let at = 2 * index(row, column);
            bytes[at..at + 2].copy_from_slice(&value(row, column).to_le_bytes());
        }
    });
    ctx.cb_push_back(to, 1);
}
