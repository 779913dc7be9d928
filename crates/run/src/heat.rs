//! Where an output's errors lie: the largest error over bound in each tile.

use tilewright_metal::Shape;
use tilewright_tile::bound::Approx;

/// The largest error over bound of the elements of each tile, or of each square of tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Cells from left to right.
    pub columns: usize,
    /// Cells from top to bottom; the matrices of an output stand below one another.
    pub rows: usize,
    /// A cell is a square of so many tiles by as many; 1 unless there are very many.
    pub cell_tiles: usize,
    /// The cells row by row; none where no element could be judged.
    pub ratios: Vec<Option<f64>>,
}

const TILE: usize = 32;

/// The map of an output whose values are in row-major order, with at most `cells` a side.
pub fn heat_map(values: &[f32], reference: &[Approx], shape: &Shape, cells: usize) -> HeatMap {
    let (tile_rows, tile_columns) = (shape.matrices() * shape.tile_rows(), shape.tile_columns());
    let cell_tiles = tile_rows.max(tile_columns).div_ceil(cells.max(1)).max(1);
    let (rows, columns) = (tile_rows.div_ceil(cell_tiles), tile_columns.div_ceil(cell_tiles));
    let mut ratios: Vec<Option<f64>> = vec![None; rows * columns];
    let sticks = values.chunks(shape.width()).zip(reference.chunks(shape.width()));
    for (stick, (values, exact)) in sticks.enumerate() {
        let (matrix, row) = (stick / shape.height(), stick % shape.height());
        let row = (matrix * shape.tile_rows() + row / TILE) / cell_tiles;
        for (column, (got, exact)) in values.iter().zip(exact).enumerate() {
            if exact.is_judged() {
                let cell = &mut ratios[row * columns + column / TILE / cell_tiles];
                let ratio = exact.ratio(f64::from(*got));
                *cell = Some(cell.map_or(ratio, |worst| worst.max(ratio)));
            }
        }
    }
    HeatMap { columns, rows, cell_tiles, ratios }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(shape: &str, wrong: usize, cells: usize) -> HeatMap {
        let shape: Shape = shape.parse().expect("a shape");
        let mut values = vec![1.0; shape.volume()];
        values[wrong] = 3.0;
        let exact = Approx { value: 1.0, error: 0.5 };
        heat_map(&values, &vec![exact; shape.volume()], &shape, cells)
    }

    #[test]
    fn an_error_is_in_the_tile_it_belongs_to() {
        let map = map("2x40x70", 40 * 70 + 35 * 70 + 66, 64);
        assert_eq!((map.rows, map.columns, map.cell_tiles), (4, 3, 1));
        let hot: Vec<usize> = (0..12).filter(|cell| map.ratios[*cell] == Some(4.0)).collect();
        assert_eq!(hot, [3 * 3 + 2], "the lower right tile of the second matrix");
        assert!(map.ratios.iter().filter(|ratio| **ratio == Some(0.0)).count() == 11);
    }

    #[test]
    fn many_tiles_share_a_cell_and_the_worst_is_kept() {
        let map = map("320x64", 0, 3);
        assert_eq!((map.rows, map.columns, map.cell_tiles), (3, 1, 4));
        assert_eq!(map.ratios, [Some(4.0), Some(0.0), Some(0.0)]);
    }
}
