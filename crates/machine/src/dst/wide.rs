//! Tiles of a 16-bit Dst whose values have 32 bits. On the device each takes the room of two.

use super::{Dst, DstTile};

impl Dst {
    /// Notes that a tile of a 16-bit Dst has just been written with 32 bits a value.
    pub(crate) fn mark_wide(&mut self, tile: DstTile) {
        self.wide[usize::from(tile.0)] = true;
    }

    /// Whether a tile of a 16-bit Dst holds values of 32 bits.
    pub(crate) fn is_wide(&self, tile: DstTile) -> bool {
        self.wide[usize::from(tile.0)] && self.is_defined(tile)
    }

    /// Whether the section of a tile of a 16-bit Dst has tiles of 16 bits a value, whose room a
    /// wide one may share.
    pub(crate) fn is_beside_narrow(&self, tile: DstTile) -> bool {
        let tiles = self.section_tiles();
        let first = usize::from(tile.0) / tiles * tiles;
        (first..first + tiles).any(|place| self.defined[place] != 0 && !self.wide[place])
    }
}
