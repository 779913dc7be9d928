//! Which rows and columns of a tile are zeros alone. Says nothing of other places.

use crate::dispatch::{self, SimdLoop};
use crate::fpu::Bfloat16Tile;
use crate::{FACE_SIDE, Lanes, TILE_SIDE, position};

/// Rows of +0 and -0, and columns of them, a bit each.
pub fn rows_and_columns(tile: &Lanes) -> (u32, u32) {
    dispatch::run(RowsAndColumns(tile))
}

/// The same of a tile of bf16 values as it lies in memory.
pub fn rows_and_columns_of_bfloat16(tile: &Bfloat16Tile) -> (u32, u32) {
    dispatch::run(OfBfloat16(tile))
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

struct OfBfloat16<'a>(&'a Bfloat16Tile);

impl SimdLoop for OfBfloat16<'_> {
    type Output = (u32, u32);

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> (u32, u32) {
        let lines = self.0.as_chunks::<{ 2 * FACE_SIDE }>().0;
        let faces: &[Face; 4] = lines.as_chunks().0.try_into().expect("four faces");
        let (mut rows, mut columns) = (0, [[0; LINE_WORDS]; 2]);
        for (half, [left, right]) in faces.as_chunks::<2>().0.iter().enumerate() {
            for row in 0..FACE_SIDE {
                let words = [words(&left[row]), words(&right[row])];
                let mut all = 0;
                for word in 0..LINE_WORDS {
                    columns[0][word] |= words[0][word];
                    columns[1][word] |= words[1][word];
                    all |= words[0][word] | words[1][word];
                }
                rows |= u32::from(all & MAGNITUDES == 0) << (half * FACE_SIDE + row);
            }
        }
        let is_zero = |word: u64, at: usize| word >> (at * 16) & 0x7fff == 0;
        let marks = columns.as_flattened().iter().enumerate().map(|(place, word)| {
            let mark = |at: usize| u32::from(is_zero(*word, at)) << (place * 4 + at);
            mark(0) | mark(1) | mark(2) | mark(3)
        });
        (rows, marks.fold(0, |all, mark| all | mark))
    }
}

/// A face of bf16 values, line by line.
type Face = [[u8; 2 * FACE_SIDE]; FACE_SIDE];

/// Words of four bf16 values in a line.
const LINE_WORDS: usize = FACE_SIDE / 4;

/// Four bf16 values without their signs.
const MAGNITUDES: u64 = 0x7fff_7fff_7fff_7fff;

#[inline(always)]
fn words(line: &[u8; 2 * FACE_SIDE]) -> [u64; LINE_WORDS] {
    let mut words = [0; LINE_WORDS];
    for (word, bytes) in words.iter_mut().zip(line.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

#[inline(always)]
fn zeros(bits: &[u32]) -> u32 {
    let mark = |(place, bits): (usize, &u32)| u32::from(*bits == 0) << place;
    bits.iter().enumerate().map(mark).fold(0, |all, mark| all | mark)
}
