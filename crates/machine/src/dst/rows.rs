//! Dst by rows: what loads and stores of single rows reach, in either width.
//!
//! A row of a 32-bit Dst is two rows of 16 bits, eight apart: upper halves, then lower (ISA
//! documentation, Dst.md). Each has a flag of its own. Accesses of 32 bits read and set that of
//! the upper halves alone, so that lower halves stay undefined, and loads of 16 bits take them for
//! zero, until a store of 16 bits reaches them (ttsim v1.10.0, src/tensix.cpp, `dst_row_valid`;
//! golden cases of `where_tile<Float16_b>` and `cumsum_tile_next` with a 32-bit Dst. To the ISA
//! documentation, ZEROACC.md, such loads are undefined).

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

    /// What SFPLOAD of 16 bits reads in a 32-bit Dst, as bf16 patterns: the rows are those of a
    /// 16-bit Dst.
    pub fn read_lanes16(&self, row: u32) -> [u32; 32] {
        let (first, odd) = self.lanes16_at(row);
        let rows: [_; 4] = std::array::from_fn(|row| self.read_row16(first + row));
        std::array::from_fn(|lane| rows[lane / 8][lane % 8 * 2 + odd])
    }

    /// What SFPSTORE of 16 bits writes in a 32-bit Dst: the same places, where the mask is set.
    pub fn write_lanes16(&mut self, row: u32, values: &[u32; 32], mask: &[u32; 32]) {
        let (first, odd) = self.lanes16_at(row);
        for (lane, value) in values.iter().enumerate().filter(|(lane, _)| mask[*lane] != 0) {
            self.write_half(first + lane / 8, lane % 8 * 2 + odd, *value);
        }
    }

    /// The first of four rows of 16 bits, and 1 for odd columns.
    fn lanes16_at(&self, row: u32) -> (usize, usize) {
        (self.math_row16(0) + (row as usize & !3), row as usize >> 1 & 1)
    }

    /// A row of 16 bits of a 32-bit Dst, as bf16 patterns.
    fn read_row16(&self, row: usize) -> [u32; FACE_SIDE] {
        let Row16 { tile, inside, is_lower } = Row16::of(row);
        let defined = if is_lower { &self.lower_defined } else { &self.defined };
        let values = &self.values[tile].as_chunks::<FACE_SIDE>().0[inside];
        match (defined[tile] >> inside & 1 == 1, is_lower) {
            (false, _) => [0; FACE_SIDE],
            (true, true) => values.map(|value| loaded16(value & 0xffff)),
            (true, false) => values.map(|value| value & 0xffff_0000),
        }
    }

    /// Writes one value of such a row, which defines the row.
    fn write_half(&mut self, row: usize, column: usize, pattern: u32) {
        self.is_blank = false;
        let Row16 { tile, inside, is_lower } = Row16::of(row);
        self.forget(tile);
        let value = &mut self.values[tile][inside * FACE_SIDE + column];
        if is_lower {
            *value = *value & 0xffff_0000 | stored16(pattern);
            self.lower_defined[tile] |= 1 << inside;
        } else {
            *value = pattern & 0xffff_0000 | *value & 0xffff;
            self.defined[tile] |= 1 << inside;
        }
    }

    /// Writes a row of 16-bit values while Dst is in 32-bit mode (MOVB2D from a 16-bit source). A
    /// row that was undefined has zeros in its other half.
    pub fn write_row16(&mut self, row: usize, values: &[u32; FACE_SIDE]) {
        assert_eq!(self.width, DstWidth::Bits32, "16-bit Dst takes whole tiles");
        let Row16 { tile, inside, .. } = Row16::of(row);
        if self.defined[tile] >> inside & 1 == 0 {
            self.values[tile].as_chunks_mut::<FACE_SIDE>().0[inside].fill(0);
        }
        for (column, value) in values.iter().enumerate() {
            self.write_half(row, column, *value);
        }
        self.defined[tile] |= 1 << inside;
    }

    /// A tile as loads of 16 bits find it in a 32-bit Dst: half a tile's rows.
    pub(crate) fn read_rows16(&self, first: usize, values: &mut Lanes) {
        for (row, lanes) in values.as_chunks_mut::<FACE_SIDE>().0.iter_mut().enumerate() {
            *lanes = self.read_row16(first + row);
        }
    }

    /// Stores of 16 bits to the same rows.
    pub(crate) fn write_rows16(&mut self, first: usize, values: &Lanes) {
        for (row, lanes) in values.as_chunks::<FACE_SIDE>().0.iter().enumerate() {
            for (column, value) in lanes.iter().enumerate() {
                self.write_half(first + row, column, *value);
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

/// Where a 32-bit Dst holds a row of 16 bits.
struct Row16 {
    tile: usize,
    inside: usize,
    is_lower: bool,
}

impl Row16 {
    fn of(row: usize) -> Row16 {
        let row = row % 1024;
        let row32 = (row >> 1) & 0x1f8 | row & 7;
        Row16 { tile: row32 / TILE_ROWS, inside: row32 % TILE_ROWS, is_lower: row & 8 != 0 }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dst::{DstSync, DstTile};

    const ALL: [u32; 32] = [!0; 32];

    #[test]
    fn rows_of_16_bits_are_halves_of_rows_of_32_bits() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Full);
        dst.replace(DstTile(0)).fill(0xc004_8480);
        let [upper, lower] = [4, 12].map(|row| dst.read_lanes16(row)[0]);
        assert_eq!(upper, 0xc004_0000);
        assert_eq!(lower, 0, "stores of 32 bits do not define rows of lower halves");
        dst.write_lanes16(14, &[0x3f80_0000; 32], &ALL);
        assert_eq!(dst.read_lanes16(14), [0x3f80_0000; 32]);
        assert_eq!(dst.read_lanes16(12)[0], 0xc004_0000, "the store has defined all its columns");
        let row = &dst.raw(DstTile(0))[4 * FACE_SIDE..][..2];
        assert_eq!(row, [0xc004_8480, 0xc004_007f], "in the order of storage");
        dst.write_lanes16(16, &[0x3f80_0000; 32], &ALL);
        assert_eq!(dst.raw(DstTile(0))[8 * FACE_SIDE], 0x3f80_8480, "eight rows are skipped");
    }

    #[test]
    fn releases_take_the_flags_of_lower_halves_away() {
        let mut dst = Dst::new();
        dst.launch(DstWidth::Bits32, DstSync::Full);
        dst.write_lanes16(8, &[0x3f80_0000; 32], &ALL);
        assert_eq!(dst.read_lanes16(8), [0x3f80_0000; 32]);
        dst.release(false);
        assert_eq!(dst.read_lanes16(8), [0; 32]);
        dst.replace(DstTile(0));
        assert_eq!(dst.read_lanes16(8), [0; 32]);
    }
}
