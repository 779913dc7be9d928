//! Declared tensors as grids of tiles: which page is which tile, what is padding, and what of one
//! tensor must be in a tile of another.

use std::ops::Range;

use tilewright_machine::NocAddress;
use tilewright_metal::{Extent, Layout, TensorDeclaration};
use tilewright_tile::{DataFormat, LaneSet, TILE_SIDE};

use super::sources::Part;

/// A declared tensor.
#[derive(Clone)]
pub(crate) struct Grid {
    pub(crate) declared: TensorDeclaration,
    /// Its number among the inputs, or among the outputs.
    pub(crate) number: u8,
    pub(crate) matrices: u32,
    /// Rows of tiles of one matrix.
    pub(crate) matrix_rows: u32,
    pub(crate) columns: u32,
}

impl Grid {
    pub(crate) fn new(declared: &TensorDeclaration, number: usize) -> Grid {
        let shape = &declared.tensor.shape;
        Grid {
            number: number as u8,
            matrices: shape.matrices() as u32,
            matrix_rows: shape.tile_rows() as u32,
            columns: shape.tile_columns() as u32,
            declared: declared.clone(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.declared.name
    }

    pub(crate) fn format(&self) -> DataFormat {
        self.declared.tensor.format
    }

    pub(crate) fn rows(&self) -> u32 {
        self.matrices * self.matrix_rows
    }

    pub(crate) fn pages(&self) -> u32 {
        self.declared.tensor.buffer.pages
    }

    pub(crate) fn page_bytes(&self) -> usize {
        self.declared.tensor.buffer.page_bytes as usize
    }

    pub(crate) fn is_row_major(&self) -> bool {
        self.declared.tensor.layout == Layout::RowMajor
    }

    /// Where a page begins.
    pub(crate) fn place(&self, page: u32) -> NocAddress {
        self.declared.tensor.buffer.page(page).expect("a page of its own")
    }

    /// The tile-row, and for a page of one tile the column, of a page.
    pub(crate) fn tile_of(&self, page: u32) -> (u32, u32) {
        if self.is_row_major() {
            let height = self.declared.tensor.shape.height() as u32;
            let stick = page / self.pages_per_stick();
            let (matrix, row) = (stick / height, stick % height);
            (matrix * self.matrix_rows + row / TILE_SIDE as u32, 0)
        } else {
            (page / self.columns, page % self.columns)
        }
    }

    /// The columns of tiles that a page reaches into.
    pub(crate) fn columns_of(&self, page: u32) -> Range<u32> {
        if !self.is_row_major() {
            let column = page % self.columns;
            return column..column + 1;
        }
        let values = self.values_of(page);
        let side = TILE_SIDE;
        (values.start / side) as u32..values.end.div_ceil(side) as u32
    }

    /// Pages that hold one stick: several if shards are narrower than the tensor.
    fn pages_per_stick(&self) -> u32 {
        (self.pages() / self.declared.tensor.shape.sticks() as u32).max(1)
    }

    /// The values of a stick that a page holds.
    fn values_of(&self, page: u32) -> Range<usize> {
        let value_bytes = self.format().value_bytes().expect("sticks have no block formats");
        let values = self.page_bytes() / value_bytes;
        let start = (page % self.pages_per_stick()) as usize * values;
        let width = self.declared.tensor.shape.width();
        start.min(width)..(start + values).min(width)
    }

    /// What a tile holds beyond the tensor's shape.
    pub(crate) fn padding(&self, (row, column): (u32, u32)) -> LaneSet {
        let shape = &self.declared.tensor.shape;
        let row = (row % self.matrix_rows) as usize;
        let rows = (shape.height() - row * TILE_SIDE).min(TILE_SIDE);
        let columns = (shape.width() - column as usize * TILE_SIDE).min(TILE_SIDE);
        LaneSet::outside(rows, columns)
    }

    /// The page that holds a byte.
    pub(crate) fn page_at(&self, at: NocAddress) -> Option<u32> {
        let (page, _) = self.declared.tensor.buffer.page_at(at)?;
        (page < u64::from(self.pages())).then_some(page as u32)
    }

    /// The byte after the last one in its banks.
    pub(crate) fn bank_end(&self) -> u64 {
        self.declared.tensor.buffer.bank_end()
    }

    /// What of this input must be in a tile of an output.
    pub(crate) fn wanted(
        &self,
        output: &Grid,
        (row, column): (u32, u32),
        (rows, columns): (Extent, Extent),
    ) -> Part {
        let (matrix, inside) = (row / output.matrix_rows, row % output.matrix_rows);
        let first = if self.matrices == 1 { 0 } else { matrix * self.matrix_rows };
        let row = if self.matrix_rows == 1 { first } else { first + inside };
        let rows = match rows {
            Extent::Same => row..row + 1,
            Extent::Matrix => first..first + self.matrix_rows,
            Extent::All => 0..self.rows(),
        };
        let columns = match columns {
            Extent::Same if self.columns == 1 => 0..1,
            Extent::Same => column..column + 1,
            Extent::Matrix | Extent::All => 0..self.columns,
        };
        Part::new(self.number, rows, columns)
    }

    /// The bytes of a page of a stick that lie in a column of tiles.
    pub(crate) fn segment(&self, page: u32, column: u32) -> Range<usize> {
        let value_bytes = self.format().value_bytes().expect("sticks have no block formats");
        let (values, first) = (self.values_of(page), column as usize * TILE_SIDE);
        let start = first.max(values.start) - values.start;
        let end = (first + TILE_SIDE).min(values.end).saturating_sub(values.start);
        start * value_bytes..end.max(start) * value_bytes
    }
}
