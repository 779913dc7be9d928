//! dγ and dβ, down pairs of tile-columns.
//!
//! When there are more cores than pairs, the rows of a pair are shared out too; each core adds up
//! its rows, and the first of them adds up the parts in a fixed order.

mod compute;
pub(super) mod program_factory;
mod reader;
mod writer;

use tilewright_tile::DataFormat;

/// Tile-columns that are summed together: their four sums and what they need fill Dst.
const PAIR: u32 = 2;

/// What the kernels are made for.
#[derive(Clone, Copy)]
struct Plan {
    format: DataFormat,
    row_tiles: u32,
    /// Tile-rows of one matrix, and valid rows of its last tile-row.
    matrix_rows: u32,
    last_rows: u32,
    /// Cores that share the rows of a pair.
    sharers: u32,
}

impl Plan {
    fn tiles_of(self, pair: u32) -> u32 {
        PAIR.min(self.row_tiles - pair * PAIR)
    }

    /// Whether some rows of a tile-row lie below the last row of its matrix.
    fn is_masked(self, tile_row: u32) -> bool {
        self.last_rows < 32 && (tile_row + 1).is_multiple_of(self.matrix_rows)
    }

    fn has_mask(self) -> bool {
        self.last_rows < 32
    }
}
