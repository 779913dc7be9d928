//! How a product is cut into blocks of output tiles, and which tiles each block needs.
//!
//! Knows counts of tiles and page numbers. All three kernels get it from the same words.

use crate::dst::widest_block;

/// Tiles along K that are read at a time, at most.
const DEPTH_MAX: u32 = 8;

/// The sizes of a batch of products, in tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) matrices: u32,
    pub(super) rows: u32,
    pub(super) depth: u32,
    pub(super) columns: u32,
}

/// Blocks of `rows` by `columns` output tiles, all alike, each the sum over steps of `depth`
/// tiles along K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blocks {
    pub(super) rows: u32,
    pub(super) columns: u32,
    pub(super) depth: u32,
    pub(super) steps: u32,
    row_blocks: u32,
    column_blocks: u32,
}

impl Blocks {
    /// Words that a kernel's compile-time arguments begin with.
    pub(super) const WORDS: usize = 6;

    /// The blocks that take the least time: a block must fit in a section of Dst, large ones need
    /// fewer reads a product, small ones keep more cores busy. A product of tiles takes about as
    /// long as the reading of one; blocks that take the same time are told apart by all reads.
    pub(super) fn choose(sizes: Sizes, section_tiles: u32, cores: u32) -> Blocks {
        let depth = widest_block(sizes.depth, DEPTH_MAX);
        let divisors = |of: u32| (1..=section_tiles).filter(move |size| of.is_multiple_of(*size));
        let fitting = divisors(sizes.rows)
            .flat_map(|rows| divisors(sizes.columns).map(move |columns| (rows, columns)))
            .filter(|(rows, columns)| rows * columns <= section_tiles)
            .map(|(rows, columns)| Blocks {
                rows,
                columns,
                depth,
                steps: sizes.depth / depth,
                row_blocks: sizes.rows / rows,
                column_blocks: sizes.columns / columns,
            });
        let time = |blocks: &Blocks| {
            let (count, reads) = (blocks.count(sizes.matrices), blocks.rows + blocks.columns);
            let rounds = u64::from(count.div_ceil(cores.max(1)));
            let longest = rounds * u64::from(blocks.tiles().max(reads));
            (longest, u64::from(count) * u64::from(reads))
        };
        fitting.min_by_key(time).expect("one tile is always a block")
    }

    /// Blocks of all matrices.
    pub(super) fn count(&self, matrices: u32) -> u32 {
        matrices * self.row_blocks * self.column_blocks
    }

    /// Output tiles of a block.
    pub(super) fn tiles(&self) -> u32 {
        self.rows * self.columns
    }

    /// Tiles of A that a step needs.
    pub(super) fn a_tiles(&self) -> u32 {
        self.rows * self.depth
    }

    /// Tiles of B that a step needs.
    pub(super) fn b_tiles(&self) -> u32 {
        self.depth * self.columns
    }

    /// The words a kernel reads the blocks from.
    pub(super) fn words(&self) -> [u32; Blocks::WORDS] {
        let Blocks { rows, columns, depth, steps, row_blocks, column_blocks } = *self;
        [rows, columns, depth, steps, row_blocks, column_blocks]
    }

    /// The blocks, in a kernel; `word` gives its compile-time arguments.
    pub(super) fn from_words(word: impl Fn(usize) -> u32) -> Blocks {
        Blocks {
            rows: word(0),
            columns: word(1),
            depth: word(2),
            steps: word(3),
            row_blocks: word(4),
            column_blocks: word(5),
        }
    }

    /// Pages of A for one step of a block: row after row.
    pub(super) fn a_pages(self, block: u32, step: u32) -> impl Iterator<Item = u32> {
        // Matrices lie below each other, so that rows of blocks are counted through all of them.
        let (first_row, first) = (block / self.column_blocks * self.rows, step * self.depth);
        let row_pages = self.steps * self.depth;
        grid(first_row * row_pages + first, self.rows, self.depth, row_pages)
    }

    /// Pages of B for one step of a block: row after row.
    pub(super) fn b_pages(self, block: u32, step: u32) -> impl Iterator<Item = u32> {
        let matrix = block / (self.row_blocks * self.column_blocks);
        let first_row = (matrix * self.steps + step) * self.depth;
        let row_pages = self.column_blocks * self.columns;
        let first = block % self.column_blocks * self.columns;
        grid(first_row * row_pages + first, self.depth, self.columns, row_pages)
    }

    /// Pages of the product that a block makes: row after row.
    pub(super) fn out_pages(self, block: u32) -> impl Iterator<Item = u32> {
        let (first_row, row_pages) =
            (block / self.column_blocks * self.rows, self.column_blocks * self.columns);
        let first = block % self.column_blocks * self.columns;
        grid(first_row * row_pages + first, self.rows, self.columns, row_pages)
    }
}

/// Pages of a rectangle in a matrix whose rows have `row_pages`.
fn grid(first: u32, rows: u32, columns: u32, row_pages: u32) -> impl Iterator<Item = u32> {
    (0..rows * columns).map(move |place| first + place / columns * row_pages + place % columns)
}

#[cfg(test)]
mod tests {
    use super::{Blocks, Sizes};

    const SIZES: Sizes = Sizes { matrices: 2, rows: 6, depth: 10, columns: 4 };

    #[test]
    fn blocks_fit_in_dst_and_cover_every_output_once() {
        for (section_tiles, cores) in [(8, 1), (8, 64), (4, 7), (16, 3)] {
            let blocks = Blocks::choose(SIZES, section_tiles, cores);
            assert!(blocks.tiles() <= section_tiles, "{blocks:?}");
            let count = blocks.count(SIZES.matrices);
            let mut pages: Vec<u32> = (0..count).flat_map(|at| blocks.out_pages(at)).collect();
            pages.sort_unstable();
            assert!(pages.into_iter().eq(0..48), "{blocks:?}");
        }
    }

    #[test]
    fn few_cores_get_large_blocks_and_many_get_small_ones() {
        assert_eq!(Blocks::choose(SIZES, 8, 1).tiles(), 8);
        assert!(Blocks::choose(SIZES, 8, 64).tiles() <= 2);
    }

    #[test]
    fn a_step_reads_the_tiles_of_its_rows_and_columns() {
        let blocks =
            Blocks { rows: 2, columns: 2, depth: 5, steps: 2, row_blocks: 3, column_blocks: 2 };
        assert_eq!(Blocks::from_words(|at| blocks.words()[at]), blocks);
        // The last block: matrix 1, rows 4 and 5, columns 2 and 3; step 1 is K tiles 5 to 9.
        let a: Vec<u32> = blocks.a_pages(11, 1).collect();
        assert_eq!(a, [105, 106, 107, 108, 109, 115, 116, 117, 118, 119]);
        let b: Vec<u32> = blocks.b_pages(11, 1).collect();
        assert_eq!(b, [62, 63, 66, 67, 70, 71, 74, 75, 78, 79]);
        assert!(blocks.out_pages(11).eq([42, 43, 46, 47]));
    }
}
