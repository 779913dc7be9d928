//! Which rows and columns of a tile are zeros alone. Says nothing of other places.

use crate::dispatch::{self, SimdLoop};
use crate::{FACE_SIDE, Lanes, TILE_SIDE, position};

/// Rows of +0 and -0, and columns of them, a bit each.
pub fn rows_and_columns(tile: &Lanes) -> (u32, u32) {
    dispatch::run(RowsAndColumns(tile))
}

struct RowsAndColumns<'a>(&'a Lanes);

impl SimdLoop for RowsAndColumns<'_> {
    type Output = (u32, u32);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> (u32, u32) {
        let (mut rows, mut columns) = ([0; TILE_SIDE], [[0; FACE_SIDE]; TILE_SIDE / FACE_SIDE]);
        for (line, values) in self.0.as_chunks::<FACE_SIDE>().0.iter().enumerate() {
            let (row, first) = position(line * FACE_SIDE);
            let bits = values.map(|value| value << 1);
            let above = &mut columns[first / FACE_SIDE];
            for (above, bits) in above.iter_mut().zip(bits) {
                *above |= bits;
            }
            rows[row] |= bits.into_iter().fold(0, |all, bits| all | bits);
        }
        (zeros(&rows), zeros(columns.as_flattened()))
    }
}

#[inline(always)]
fn zeros(bits: &[u32]) -> u32 {
    let mark = |(place, bits): (usize, &u32)| u32::from(*bits == 0) << place;
    bits.iter().enumerate().map(mark).fold(0, |all, mark| all | mark)
}
