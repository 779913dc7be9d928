//! Which rings softmax needs, and whether a whole row of tiles fits in L1.

use tilewright_metal::{CbSpec, ComputeSettings};
use tilewright_tile::{DataFormat, DstWidth};

use crate::dst::widest_block;

/// The input's tiles.
pub(super) const X: u8 = 0;
/// Ones, for reductions.
pub(super) const SCALER: u8 = 1;
/// The output's tiles.
pub(super) const OUT: u8 = 16;
/// Maxima of the rows, in column 0.
pub(super) const MAX: u8 = 24;
/// Exponentials of the shifted rows.
pub(super) const EXPS: u8 = 25;
/// Sums of the rows, in column 0.
pub(super) const SUM: u8 = 26;
/// The sum of one block, in column 0.
pub(super) const BLOCK_SUM: u8 = 28;
/// Reciprocals of the sums, in column 0.
pub(super) const RECIP: u8 = 27;

/// How a row of tiles is worked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Path {
    /// Read once; its exponentials stay in L1 until their sum is known.
    WholeRow,
    /// Read three times, block by block: for the maximum, for the sum, for the result.
    Blocks,
}

/// A row of tiles, its blocks and its formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) path: Path,
    pub(super) row_tiles: u32,
    pub(super) block: u32,
}

impl Plan {
    /// The plan for rows of `row_tiles`: as asked, or else the whole row if its rings fit in
    /// `room` bytes of L1.
    pub(super) fn choose(
        asked: Option<Path>,
        row_tiles: u32,
        settings: &ComputeSettings,
        format: DataFormat,
        room: u32,
    ) -> Plan {
        let block = block_tiles(row_tiles, settings);
        let whole = Plan { path: Path::WholeRow, row_tiles, block };
        let bytes: u64 = whole.rings(settings, format).iter().map(ring_bytes).sum();
        let fits = if bytes <= u64::from(room) { Path::WholeRow } else { Path::Blocks };
        Plan { path: asked.unwrap_or(fits), ..whole }
    }

    /// The rings of every core.
    pub(super) fn rings(&self, settings: &ComputeSettings, format: DataFormat) -> Vec<CbSpec> {
        let between = intermediate(settings.width);
        let (x_tiles, exp_tiles) = match self.path {
            Path::WholeRow => (2 * self.row_tiles, self.row_tiles),
            Path::Blocks => (2 * self.block, 2 * self.block),
        };
        vec![
            CbSpec::tiles(X, "cb_x", format, x_tiles),
            CbSpec::tiles(SCALER, "cb_scaler", format, 1),
            CbSpec::tiles(OUT, "cb_out", format, 2 * self.block),
            CbSpec::tiles(MAX, "cb_max", between, 2),
            CbSpec::tiles(EXPS, "cb_exps", between, exp_tiles),
            CbSpec::tiles(SUM, "cb_sum", between, 2),
            CbSpec::tiles(BLOCK_SUM, "cb_block_sum", between, 2),
            CbSpec::tiles(RECIP, "cb_recip", between, 2),
        ]
    }
}

/// Tiles of a row that are handled, and summed, at a time.
pub(super) fn block_tiles(row_tiles: u32, settings: &ComputeSettings) -> u32 {
    widest_block(row_tiles, settings.section_tiles())
}

/// The format between steps: as wide as Dst.
pub(super) fn intermediate(width: DstWidth) -> DataFormat {
    match width {
        DstWidth::Bits16 => DataFormat::Bfloat16,
        DstWidth::Bits32 => DataFormat::Float32,
    }
}

fn ring_bytes(ring: &CbSpec) -> u64 {
    u64::from(ring.page_bytes) * u64::from(ring.pages)
}

#[cfg(test)]
mod tests {
    use super::{Path, Plan};
    use tilewright_metal::ComputeSettings;
    use tilewright_tile::DataFormat;

    #[test]
    fn a_row_is_kept_as_long_as_its_rings_fit() {
        let settings = ComputeSettings::default();
        let plan = |row_tiles, room| {
            Plan::choose(None, row_tiles, &settings, DataFormat::Bfloat16, room).path
        };
        // 3 tiles a tile of the row, 2 blocks of 8 for the output, 9 for scaler and columns.
        let needed = (3 * 64 + 16 + 9) * 2048;
        assert_eq!(plan(64, needed), Path::WholeRow);
        assert_eq!(plan(64, needed - 1), Path::Blocks);
        assert_eq!(plan(65_535, u32::MAX), Path::WholeRow);
        assert_eq!(plan(u32::MAX / 2, u32::MAX), Path::Blocks);
    }
}
