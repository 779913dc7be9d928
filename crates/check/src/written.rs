//! Who wrote each page of the outputs last: for the judgement of its values.
//!
//! Judges nothing and knows no values.

use std::ops::RangeToInclusive;

use tilewright_metal::{Layout, Shape, TensorDeclaration};
use tilewright_tile::TILE_SIDE;

use crate::flow::Step;
use crate::trace::Traces;

/// An output and who wrote its pages.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) output: String,
    shape: Shape,
    layout: Layout,
    pages: Vec<Option<(Step, Traces)>>,
    /// Which program of the run wrote it.
    pub(crate) program: usize,
}

impl Written {
    pub(crate) fn new(declared: &TensorDeclaration, pages: Vec<Option<(Step, Traces)>>) -> Written {
        let (shape, layout) = (declared.tensor.shape, declared.tensor.layout);
        Written { output: declared.name.clone(), shape, layout, pages, program: 0 }
    }

    /// Who wrote the page that holds an element; `index` is its place in row-major order.
    pub(crate) fn writer(&self, index: usize) -> Option<Step> {
        self.page(index).map(|(writer, _)| writer)
    }

    /// The findings that have touched the page that holds an element.
    pub(crate) fn traces(&self, index: usize) -> Traces {
        self.page(index).map_or(Traces::NONE, |(_, traces)| traces)
    }

    fn page(&self, index: usize) -> Option<(Step, Traces)> {
        let page = match self.layout {
            Layout::RowMajor => index / self.shape.width(),
            Layout::Tile => {
                let (row, column) = tile_of(index, &self.shape);
                row * self.shape.tile_columns() + column
            }
        };
        self.pages.get(page).copied().flatten()
    }

    /// The last written page of some, and its writer.
    pub(crate) fn last(&self, of: RangeToInclusive<u32>) -> Option<(usize, Step)> {
        let mut pages = self.pages.iter().enumerate().take(of.end as usize + 1).rev();
        pages.find_map(|(page, written)| Some((page, (*written)?.0)))
    }

    /// Who wrote a tile; of sticks, who wrote its first row.
    pub(crate) fn tile_writer(&self, (row, column): (usize, usize)) -> Option<Step> {
        let page = match self.layout {
            Layout::Tile => row * self.shape.tile_columns() + column,
            Layout::RowMajor => row * TILE_SIDE,
        };
        self.pages.get(page).copied().flatten().map(|(writer, _)| writer)
    }

    /// Whether it is of such a tensor.
    pub(crate) fn is_of(&self, output: &str, shape: &Shape) -> bool {
        self.output == output && self.shape == *shape
    }
}

/// The row and column of the tile that holds an element; rows count through all matrices.
pub(crate) fn tile_of(index: usize, shape: &Shape) -> (usize, usize) {
    let (stick, column) = (index / shape.width(), index % shape.width());
    let (matrix, row) = (stick / shape.height(), stick % shape.height());
    (matrix * shape.tile_rows() + row / TILE_SIDE, column / TILE_SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_counted_through_all_matrices() {
        let shape: Shape = "2x40x70".parse().expect("a shape");
        let index = |matrix: usize, row, column| (matrix * 40 + row) * 70 + column;
        assert_eq!(tile_of(index(0, 31, 31), &shape), (0, 0));
        assert_eq!(tile_of(index(0, 32, 69), &shape), (1, 2));
        assert_eq!(tile_of(index(1, 39, 33), &shape), (3, 1));
    }
}
