//! How many tiles a kernel may hold in Dst at a time.

use tilewright_metal::{ComputeSettings, DstSync};
use tilewright_tile::DstWidth;

/// Tiles that one section of Dst holds.
pub(crate) fn section_tiles(settings: &ComputeSettings) -> u32 {
    let tiles = match settings.width {
        DstWidth::Bits16 => 16,
        DstWidth::Bits32 => 8,
    };
    match settings.sync {
        DstSync::Half => tiles / 2,
        DstSync::Full => tiles,
    }
}
