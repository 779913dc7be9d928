//! How many tiles a kernel may hold in Dst at a time.

/// The largest divisor of `tiles` that is at most `most`, so that all blocks are alike and none
/// straddles the end of a ring.
pub(crate) fn widest_block(tiles: u32, most: u32) -> u32 {
    (1..=most).rev().find(|block| tiles.is_multiple_of(*block)).unwrap_or(1)
}
