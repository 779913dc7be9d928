//! Tiles that a reader writes itself, or mends where they lie: scalers, padding, broadcasts.

use tilewright_metal::L1Address;
use tilewright_metal::api::DataMovement;
use tilewright_tile::{Broadcast, DataFormat, FACE_SIDE, TILE_SIDE, index};

/// A value as it lies in L1, cut to the format.
pub(crate) fn stored(format: DataFormat, value: f32) -> f32 {
    f32::from_bits(value.to_bits() & stored_mask(format))
}

fn stored_mask(format: DataFormat) -> u32 {
    match format {
        DataFormat::Bfloat16 => 0xffff_0000,
        DataFormat::Float32
        | DataFormat::Tf32
        | DataFormat::Bfp8
        | DataFormat::Integer(_)
        | DataFormat::Small(_) => u32::MAX,
    }
}

/// Writes the scaler tile of a reduction and pushes it: row 0 of each face holds the scaler,
/// everything else is zero, as tt-metal's `prepare_reduce_scaler` leaves it.
#[track_caller]
pub(crate) fn push_scaler(ctx: &DataMovement<'_>, cb: u8, scaler: f32) {
    push_tile(ctx, cb, |row, _| if row % FACE_SIDE == 0 { scaler } else { 0.0 });
}

/// Pushes a tile of ones.
#[track_caller]
pub(crate) fn push_ones(ctx: &DataMovement<'_>, cb: u8) {
    push_constant(ctx, cb, 1.0);
}

/// Pushes a tile of zeros.
#[track_caller]
pub(crate) fn push_zeros(ctx: &DataMovement<'_>, cb: u8) {
    push_constant(ctx, cb, 0.0);
}

/// Pushes a tile that is 1 in its first `columns` columns, and 0 elsewhere.
#[track_caller]
pub(crate) fn push_column_mask(ctx: &DataMovement<'_>, cb: u8, columns: u32) {
    push_tile(ctx, cb, |_, column| if column < columns as usize { 1.0 } else { 0.0 });
}

/// Pushes a tile that is 1 in its first `rows` rows, and 0 elsewhere.
#[track_caller]
pub(crate) fn push_row_mask(ctx: &DataMovement<'_>, cb: u8, rows: u32) {
    push_tile(ctx, cb, |row, _| if row < rows as usize { 1.0 } else { 0.0 });
}

/// Pushes a tile of values by row and column, cut to the buffer's format.
#[track_caller]
pub(crate) fn push_tile(ctx: &DataMovement<'_>, cb: u8, value: impl Fn(usize, usize) -> f32) {
    push(ctx, cb, |mut values| {
        for row in 0..TILE_SIDE {
            (0..TILE_SIDE).for_each(|column| values.set(index(row, column), value(row, column)));
        }
    });
}

#[track_caller]
fn push_constant(ctx: &DataMovement<'_>, cb: u8, value: f32) {
    push(ctx, cb, |mut values| values.fill(value));
}

#[track_caller]
fn push(ctx: &DataMovement<'_>, cb: u8, write: impl FnOnce(Values<'_>)) {
    ctx.cb_reserve_back(cb, 1);
    let (to, format) = (ctx.get_write_ptr(cb), ctx.get_dataformat(cb));
    ctx.write_l1(to, ctx.get_tile_size(cb), |tile| write(Values { format, tile }));
    ctx.cb_push_back(cb, 1);
}

/// Overwrites what a tile in L1 holds outside its first `rows` rows and `columns` columns.
#[track_caller]
pub(crate) fn fill_padding(
    ctx: &DataMovement<'_>,
    (cb, at): (u8, L1Address),
    (rows, columns): (u32, u32),
    value: f32,
) {
    let format = ctx.get_dataformat(cb);
    ctx.write_l1(at, ctx.get_tile_size(cb), |tile| {
        let mut values = Values { format, tile };
        for row in 0..TILE_SIDE {
            let first = if row < rows as usize { columns as usize } else { 0 };
            (first..TILE_SIDE).for_each(|column| values.set(index(row, column), value));
        }
    });
}

/// Repeats the first column, row or value of a tile in L1 all over it.
#[track_caller]
pub(crate) fn spread(ctx: &DataMovement<'_>, (cb, at): (u8, L1Address), broadcast: Broadcast) {
    let format = ctx.get_dataformat(cb);
    ctx.write_l1(at, ctx.get_tile_size(cb), |tile| {
        let mut values = Values { format, tile };
        for row in 0..TILE_SIDE {
            for column in 0..TILE_SIDE {
                let from = match broadcast {
                    Broadcast::None => index(row, column),
                    Broadcast::Column => index(row, 0),
                    Broadcast::Row => index(0, column),
                    Broadcast::Scalar => index(0, 0),
                };
                values.copy(from, index(row, column));
            }
        }
    });
}

/// The values of a tile in L1.
struct Values<'a> {
    format: DataFormat,
    tile: &'a mut [u8],
}

impl Values<'_> {
    /// Bytes of a value. Operations refuse block formats before a kernel runs.
    fn bytes(&self) -> usize {
        self.format.value_bytes().unwrap_or(1)
    }

    fn set(&mut self, place: usize, value: f32) {
        let (bytes, value) = (self.bytes(), value.to_le_bytes());
        self.tile[place * bytes..][..bytes].copy_from_slice(&value[value.len() - bytes..]);
    }

    fn fill(&mut self, value: f32) {
        let (bytes, value) = (self.bytes(), value.to_le_bytes());
        let value = &value[value.len() - bytes..];
        self.tile.chunks_exact_mut(bytes).for_each(|place| place.copy_from_slice(value));
    }

    fn copy(&mut self, from: usize, to: usize) {
        let bytes = self.bytes();
        self.tile.copy_within(from * bytes..(from + 1) * bytes, to * bytes);
    }
}
