//! Which input tiles make which output tile, and in which order they come.

use std::ops::Range;

use tilewright_metal::{ComputeSettings, Shape};
use tilewright_tile::fpu::ReduceDim;

/// Tiles that a reader asks for at a time: enough to keep the network busy.
const BLOCK_TILES: u32 = 8;

/// Each output tile is a strip of input tiles, reduced. Cores take groups of neighbouring strips,
/// one tile of Dst each, and read them in blocks: a few tiles along, all strips across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strips {
    /// Strips in all: output tiles.
    pub(super) strips: u32,
    /// Tiles of a strip.
    pub(super) depth: u32,
    /// From one tile of a strip to the next.
    pub(super) stride: u32,
    /// Strips in a group.
    pub(super) across: u32,
    /// Tiles of each strip in a block.
    pub(super) along: u32,
}

impl Strips {
    /// Words that `words` gives.
    pub(super) const WORDS: usize = 5;

    /// The widest groups that leave no core idle and fit in a section of Dst.
    pub(super) fn new(
        shape: &Shape,
        dim: ReduceDim,
        settings: &ComputeSettings,
        cores: u32,
    ) -> Strips {
        let (rows, columns) = (shape.tile_rows() as u32, shape.tile_columns() as u32);
        let (depth, stride) = match dim {
            ReduceDim::Row => (columns, 1),
            ReduceDim::Column => (rows, columns),
            ReduceDim::Scalar => (rows * columns, 1),
        };
        let strips = shape.tiles() as u32 / depth;
        let across = strips.div_ceil(cores.max(1)).min(settings.section_tiles());
        let along = (BLOCK_TILES / across).clamp(1, depth);
        Strips { strips, depth, stride, across, along }
    }

    /// As compile-time arguments.
    pub(super) fn words(self) -> [u32; Strips::WORDS] {
        [self.strips, self.depth, self.stride, self.across, self.along]
    }

    /// From a kernel's compile-time arguments.
    pub(super) fn from_words(argument: impl Fn(usize) -> u32) -> Strips {
        Strips {
            strips: argument(0),
            depth: argument(1),
            stride: argument(2),
            across: argument(3),
            along: argument(4),
        }
    }

    /// How many groups there are.
    pub(super) fn groups(self) -> u32 {
        self.strips.div_ceil(self.across)
    }

    /// Pages of a block.
    pub(super) fn block(self) -> u32 {
        self.across * self.along
    }

    /// The strips of a group; the last group may have fewer.
    pub(super) fn group(self, index: u32) -> Range<u32> {
        let start = index * self.across;
        start..self.strips.min(start + self.across)
    }

    /// The parts of a strip that come in one block each; the last may be shorter.
    pub(super) fn parts(self) -> impl Iterator<Item = Range<u32>> {
        let parts = (0..self.depth).step_by(self.along as usize);
        parts.map(move |start| start..self.depth.min(start + self.along))
    }

    /// The input tiles of a block, in the order in which they lie in the ring.
    pub(super) fn tiles(self, group: u32, part: Range<u32>) -> impl Iterator<Item = u32> {
        let strips = self.group(group);
        part.flat_map(move |place| strips.clone().map(move |strip| self.tile(strip, place)))
    }

    fn tile(self, strip: u32, place: u32) -> u32 {
        let (matrix, column) = (strip / self.stride, strip % self.stride);
        (matrix * self.depth + place) * self.stride + column
    }
}

#[cfg(test)]
mod tests {
    use super::Strips;

    #[test]
    fn blocks_visit_the_tiles_of_their_strips() {
        // Two matrices of 3x2 tiles, down their columns.
        let strips = Strips { strips: 4, depth: 3, stride: 2, across: 3, along: 2 };
        let tiles = |group| {
            let blocks = strips.parts().map(|part| strips.tiles(group, part).collect::<Vec<_>>());
            blocks.collect::<Vec<_>>()
        };
        assert_eq!((strips.groups(), strips.block()), (2, 6));
        assert_eq!(tiles(0), [vec![0, 1, 6, 2, 3, 8], vec![4, 5, 10]]);
        assert_eq!(tiles(1), [vec![7, 9], vec![11]]);
    }
}
