//! Which tiles are combined at a time: blocks of neighbours in a row.

use std::ops::Range;

use tilewright_metal::{ComputeSettings, Shape};
use tilewright_tile::Broadcast;

use super::{Engine, Options};

/// Rows of tiles, each divided into blocks; the last block of a row may have fewer tiles.
///
/// Rows are as long as the broadcast allows: all tiles without one, a whole matrix for a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    /// Rows in all.
    pub(super) rows: u32,
    /// Tiles in a row.
    pub(super) row_tiles: u32,
    /// Tiles in a block.
    pub(super) block: u32,
    /// How many rows share a row of the second operand.
    pub(super) shared_by: u32,
    /// Whether one tile of the second operand serves the whole row.
    pub(super) is_single: bool,
}

impl Blocks {
    /// Words that `words` gives.
    pub(super) const WORDS: usize = 5;

    /// The widest blocks that leave no core idle and fit in a section of Dst.
    pub(super) fn new(
        shape: &Shape,
        options: Options,
        settings: &ComputeSettings,
        cores: u32,
    ) -> Blocks {
        let (tiles, matrices) = (shape.tiles() as u32, shape.matrices() as u32);
        let tile_rows = shape.tile_rows() as u32;
        let (rows, shared_by, is_single) = match options.broadcast {
            Broadcast::None => (1, 1, false),
            Broadcast::Row => (matrices * tile_rows, tile_rows, false),
            Broadcast::Column => (matrices * tile_rows, 1, true),
            Broadcast::Scalar => (matrices, 1, true),
        };
        let row_tiles = tiles / rows;
        let section = settings.section_tiles();
        let most = match (options.engine, is_single) {
            (Engine::Fpu(_), _) => section,
            // The second operand's tiles are in Dst too.
            (Engine::Sfpu(_), true) => section - 1,
            (Engine::Sfpu(_), false) => section / 2,
        };
        let block = tiles.div_ceil(cores.max(1)).min(most).min(row_tiles);
        Blocks { rows, row_tiles, block, shared_by, is_single }
    }

    /// As compile-time arguments.
    pub(super) fn words(self) -> [u32; Blocks::WORDS] {
        [self.rows, self.row_tiles, self.block, self.shared_by, u32::from(self.is_single)]
    }

    /// From a kernel's compile-time arguments.
    pub(super) fn from_words(argument: impl Fn(usize) -> u32) -> Blocks {
        Blocks {
            rows: argument(0),
            row_tiles: argument(1),
            block: argument(2),
            shared_by: argument(3),
            is_single: argument(4) != 0,
        }
    }

    /// How many blocks there are.
    pub(super) fn count(self) -> u32 {
        self.rows * self.row_blocks()
    }

    /// Tiles of the second operand for a block.
    pub(super) fn second_block(self) -> u32 {
        if self.is_single { 1 } else { self.block }
    }

    /// The tiles of a block, in the first operand and in the output.
    pub(super) fn tiles(self, index: u32) -> Range<u32> {
        let (row, columns) = self.place(index);
        row * self.row_tiles + columns.start..row * self.row_tiles + columns.end
    }

    /// The tiles of the second operand that a block needs.
    pub(super) fn second_tiles(self, index: u32) -> Range<u32> {
        let (row, columns) = self.place(index);
        if self.is_single {
            return row..row + 1;
        }
        let start = row / self.shared_by * self.row_tiles;
        start + columns.start..start + columns.end
    }

    fn row_blocks(self) -> u32 {
        self.row_tiles.div_ceil(self.block)
    }

    fn place(self, index: u32) -> (u32, Range<u32>) {
        let start = index % self.row_blocks() * self.block;
        (index / self.row_blocks(), start..self.row_tiles.min(start + self.block))
    }
}

#[cfg(test)]
mod tests {
    use super::Blocks;

    #[test]
    fn rows_end_in_shorter_blocks() {
        // Two matrices of 2x5 tiles; each has one row of the second operand.
        let rows = Blocks { rows: 4, row_tiles: 5, block: 3, shared_by: 2, is_single: false };
        assert_eq!((rows.count(), rows.second_block()), (8, 3));
        assert_eq!((rows.tiles(0), rows.tiles(1), rows.tiles(7)), (0..3, 3..5, 18..20));
        assert_eq!((rows.second_tiles(3), rows.second_tiles(5)), (3..5, 8..10));
    }

    #[test]
    fn one_tile_serves_a_row() {
        let columns = Blocks { rows: 4, row_tiles: 5, block: 3, shared_by: 1, is_single: true };
        assert_eq!((columns.tiles(6), columns.second_tiles(6)), (15..18, 3..4));
        assert_eq!(columns.second_block(), 1);
    }
}
