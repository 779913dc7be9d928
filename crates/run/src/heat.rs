//! Where an output's errors lie: the largest error over bound in each tile, and the elements of the
//! tiles where it is largest.

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
    /// The elements of the tiles with the largest ratios, the largest first.
    pub worst: Vec<TileElements>,
}

/// The elements of one tile, as far as the output has them.
#[derive(Clone, Debug, PartialEq)]
pub struct TileElements {
    /// The tile's row, counted in tiles over all matrices.
    pub row: usize,
    /// The tile's column, counted in tiles.
    pub column: usize,
    /// Elements of a row.
    pub width: usize,
    /// What the device has, row by row.
    pub got: Vec<f32>,
    /// What is exact, and how far a right value may be from it.
    pub wanted: Vec<Approx>,
}

const TILE: usize = 32;

/// Tiles whose elements are kept.
const WORST_TILES: usize = 24;

/// The map of an output whose values are in row-major order, with at most `cells` a side.
pub fn heat_map(values: &[f32], reference: &[Approx], shape: &Shape, cells: usize) -> HeatMap {
    let (tile_rows, tile_columns) = (shape.matrices() * shape.tile_rows(), shape.tile_columns());
    let cell_tiles = tile_rows.max(tile_columns).div_ceil(cells.max(1)).max(1);
    let (rows, columns) = (tile_rows.div_ceil(cell_tiles), tile_columns.div_ceil(cell_tiles));
    let tiles = tile_ratios(values, reference, shape);
    let mut ratios: Vec<Option<f64>> = vec![None; rows * columns];
    for (tile, ratio) in tiles.iter().enumerate() {
        let (row, column) = (tile / tile_columns / cell_tiles, tile % tile_columns / cell_tiles);
        let cell = &mut ratios[row * columns + column];
        *cell = match (*cell, *ratio) {
            (Some(worst), Some(ratio)) => Some(worst.max(ratio)),
            (known, new) => known.or(new),
        };
    }
    let mut order: Vec<usize> = (0..tiles.len()).collect();
    let key = |tile: &usize| tiles[*tile].unwrap_or(-1.0);
    order.sort_by(|a, b| key(b).total_cmp(&key(a)));
    let elements = |tile: &usize| elements(values, reference, shape, *tile);
    let worst = order.iter().take(WORST_TILES).map(elements).collect();
    HeatMap { columns, rows, cell_tiles, ratios, worst }
}

/// The largest ratio of each tile, row by row of tiles.
fn tile_ratios(values: &[f32], reference: &[Approx], shape: &Shape) -> Vec<Option<f64>> {
    let columns = shape.tile_columns();
    let mut ratios: Vec<Option<f64>> = vec![None; shape.matrices() * shape.tile_rows() * columns];
    let sticks = values.chunks(shape.width()).zip(reference.chunks(shape.width()));
    for (stick, (values, exact)) in sticks.enumerate() {
        let (matrix, row) = (stick / shape.height(), stick % shape.height());
        let row = matrix * shape.tile_rows() + row / TILE;
        for (column, (got, exact)) in values.iter().zip(exact).enumerate() {
            if exact.is_judged() {
                let tile = &mut ratios[row * columns + column / TILE];
                let ratio = exact.ratio(f64::from(*got));
                *tile = Some(tile.map_or(ratio, |worst| worst.max(ratio)));
            }
        }
    }
    ratios
}

/// The elements of a tile, counted row by row of tiles.
fn elements(values: &[f32], reference: &[Approx], shape: &Shape, tile: usize) -> TileElements {
    let (row, column) = (tile / shape.tile_columns(), tile % shape.tile_columns());
    let (matrix, inside) = (row / shape.tile_rows(), row % shape.tile_rows());
    let width = (shape.width() - column * TILE).min(TILE);
    let height = (shape.height() - inside * TILE).min(TILE);
    let (mut got, mut wanted) = (Vec::new(), Vec::new());
    for line in 0..height {
        let stick = matrix * shape.height() + inside * TILE + line;
        let first = stick * shape.width() + column * TILE;
        got.extend_from_slice(&values[first..first + width]);
        wanted.extend_from_slice(&reference[first..first + width]);
    }
    TileElements { row, column, width, got, wanted }
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
        let worst = &map.worst[0];
        assert_eq!((worst.row, worst.column, worst.width, worst.got.len()), (3, 2, 6, 8 * 6));
        let wrong = worst.got.iter().position(|got| *got == 3.0);
        assert_eq!(wrong, Some(3 * 6 + 2), "row 35 and column 66 of the matrix");
        assert_eq!(map.worst.len(), 12, "all tiles of a small output");
        assert!(map.ratios.iter().filter(|ratio| **ratio == Some(0.0)).count() == 11);
    }

    #[test]
    fn many_tiles_share_a_cell_and_the_worst_is_kept() {
        let map = map("320x64", 0, 3);
        assert_eq!((map.rows, map.columns, map.cell_tiles), (3, 1, 4));
        assert_eq!(map.ratios, [Some(4.0), Some(0.0), Some(0.0)]);
    }
}
