//! dx, a tile-row at a time.

mod compute;
pub(super) mod program_factory;
mod reader;
mod writer;

use tilewright_tile::DataFormat;

use crate::layernorm::Path;

/// What the kernels are made for.
#[derive(Clone, Copy)]
struct Plan {
    path: Path,
    format: DataFormat,
    features: u32,
    row_tiles: u32,
}

impl Plan {
    fn is_masked(self) -> bool {
        self.features < 32 * self.row_tiles
    }
}
