//! Dst by rows: what loads and stores of single rows reach, in either width.

use tilewright_tile::{DstWidth, FACE_SIDE, Lanes};

use super::{Dst, TILE_ROWS};

/// Values of the four rows that an access of the vector unit is about.
const LANES_SPAN: usize = 4 * FACE_SIDE;

impl Dst {
    /// What SFPLOAD reads: four rows from the one that holds a row of math's section, and of them
    /// the even columns, or the odd ones if the row is 2 after a multiple of 4.
    pub fn read_lanes(&self, row: u32) -> [u32; 32] {
        let (tile, row, odd) = self.lanes_at(row);
        let rows = &self.values[tile].as_chunks::<LANES_SPAN>().0[row / 4];
        let values = std::array::from_fn(|lane| rows[2 * lane + odd]);
        let defined = self.defined[tile] >> row & 0xf;
        if defined == 0xf {
            return values;
        }
        std::array::from_fn(|lane| if defined >> (lane / 8) & 1 == 1 { values[lane] } else { 0 })
    }

    /// What SFPSTORE writes: the same places, where the mask is set. A row is defined by a single
    /// value.
    pub fn write_lanes(&mut self, row: u32, values: &[u32; 32], mask: &[u32; 32]) {
        self.is_blank = false;
        let (tile, row, odd) = self.lanes_at(row);
        let rows = &mut self.values[tile].as_chunks_mut::<LANES_SPAN>().0[row / 4];
        for (lane, (value, mask)) in values.iter().zip(mask).enumerate() {
            let there = &mut rows[2 * lane + odd];
            *there = if *mask != 0 { *value } else { *there };
        }
        self.forget(tile);
        for (row_of, mask) in mask.as_chunks::<8>().0.iter().enumerate() {
            let is_written = mask.iter().any(|mask| *mask != 0);
            self.defined[tile] |= u64::from(is_written) << (row + row_of);
        }
    }

    /// The tile, the first row in it, and 1 for odd columns.
    fn lanes_at(&self, row: u32) -> (usize, usize, usize) {
        let tile = self.math_tile(row / TILE_ROWS as u32);
        let inside = row as usize % TILE_ROWS;
        (usize::from(tile.0), inside & !3, inside >> 1 & 1)
    }

    /// Writes a row of 16-bit values while Dst is in 32-bit mode (MOVB2D from a 16-bit source):
    /// rows whose bit 3 is clear are the upper halves of 32-bit rows, the others the lower.
    pub fn write_row16(&mut self, row: usize, values: &[u32; FACE_SIDE]) {
        self.is_blank = false;
        assert_eq!(self.width, DstWidth::Bits32, "16-bit Dst takes whole tiles");
        let (tile, inside) = place_of_row16(row);
        let was_defined = self.defined[tile] >> inside & 1 == 1;
        self.forget(tile);
        self.defined[tile] |= 1 << inside;
        let lanes = &mut self.values[tile][inside * FACE_SIDE..(inside + 1) * FACE_SIDE];
        for (lane, value) in lanes.iter_mut().zip(values) {
            let old = if was_defined { *lane } else { 0 };
            *lane = if row & 8 == 0 {
                value & 0xffff_0000 | old & 0xffff
            } else {
                old & 0xffff_0000 | stored16(*value)
            };
        }
    }

    /// A tile as loads of 16 bits find it in a 32-bit Dst: the upper halves of half a tile's rows.
    /// Rows of lower halves are taken for zero.
    pub(crate) fn read_rows16(&self, first: usize, values: &mut Lanes) {
        for (row, lanes) in values.as_chunks_mut::<FACE_SIDE>().0.iter_mut().enumerate() {
            let (tile, inside) = place_of_row16(first + row);
            let is_defined = self.defined[tile] >> inside & 1 == 1;
            *lanes = match row & 8 == 0 && is_defined {
                true => self.values[tile].as_chunks::<FACE_SIDE>().0[inside]
                    .map(|value| value & 0xffff_0000),
                false => [0; FACE_SIDE],
            };
        }
    }

    /// Stores of 16 bits to the same rows; their lower halves become zero.
    pub(crate) fn write_rows16(&mut self, first: usize, values: &Lanes) {
        self.is_blank = false;
        for (row, lanes) in values.as_chunks::<FACE_SIDE>().0.iter().enumerate() {
            let (tile, inside) = place_of_row16(first + row);
            if row & 8 == 0 {
                self.forget(tile);
                self.defined[tile] |= 1 << inside;
                self.values[tile].as_chunks_mut::<FACE_SIDE>().0[inside] = *lanes;
            }
        }
    }

    /// A store of 32 bits to a row of a 16-bit Dst, in two rows of the same half of it (Dst.md:
    /// AdjRow).
    pub(crate) fn write_row32(&mut self, row: usize, values: &[u32; FACE_SIDE]) {
        self.is_blank = false;
        let upper = (row & 0x1f8) << 1 | row & 0x207;
        for (row, is_upper) in [(upper, true), (upper + 8, false)] {
            let (tile, inside) = (row / TILE_ROWS, row % TILE_ROWS);
            self.forget(tile);
            self.defined[tile] |= 1 << inside;
            let lanes = &mut self.values[tile].as_chunks_mut::<FACE_SIDE>().0[inside];
            *lanes = match is_upper {
                true => values.map(|value| value & 0xffff_0000),
                false => values.map(|value| loaded16(value & 0xffff)),
            };
        }
    }

    /// The 16-bit row number of the first row of a tile that math writes.
    pub fn math_row16(&self, index: u32) -> usize {
        self.math_half * 512 + index as usize * TILE_ROWS
    }
}

/// The tile and row of a 32-bit Dst that hold a row of 16 bits.
fn place_of_row16(row: usize) -> (usize, usize) {
    let row = row % 1024;
    let row32 = (row >> 1) & 0x1f8 | row & 7;
    (row32 / TILE_ROWS, row32 % TILE_ROWS)
}

/// How 16 bits of storage hold a bf16 pattern: sign, mantissa, exponent (Dst.md). The upper half
/// of a 32-bit value is kept the same way, so only what lies in a lower half shows it.
pub(super) fn stored16(pattern: u32) -> u32 {
    let value = pattern >> 16;
    value & 0x8000 | (value & 0x7f) << 8 | value >> 7 & 0xff
}

/// The bf16 pattern that 16 bits of storage hold.
pub(super) fn loaded16(stored: u32) -> u32 {
    (stored & 0x8000 | (stored & 0xff) << 7 | stored >> 8 & 0x7f) << 16
}
