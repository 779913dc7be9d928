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

/// The largest divisor of `tiles` that is at most `most`, so that all blocks are alike and none
/// straddles the end of a ring.
pub(crate) fn widest_block(tiles: u32, most: u32) -> u32 {
    (1..=most).rev().find(|block| tiles.is_multiple_of(*block)).unwrap_or(1)
}
