//! Functions of a tile and one row or column of another, and of pairs of columns.

use super::sum::Numbers;
use super::unit::{COLUMNS, FACE_ROWS, ODD, load, rotated};
use crate::bits::{ONE, SIGN};
use crate::sfpu::lane::{self, fma};
use crate::sfpu::program::run::{Mode, Operands};
use crate::sfpu::program::state::Register;
use crate::{Chip, TILE_SIDE, index};

/// Pairs of columns (a, b) become (-b, a).
pub(super) fn rotate_complex(it: &mut Operands<'_>) {
    let mask = it.width.mask();
    let mut tile = it.tiles[it.out];
    for pair in tile.as_chunks_mut::<2>().0 {
        let [a, b] = *pair;
        *pair = [lane::store(b ^ SIGN, mask), lane::store(a, mask)];
    }
    it.replace(it.out, tile);
}

pub(super) fn row(it: &mut Operands<'_>, f: impl Fn(Chip, u32, u32) -> u32) {
    let [x, y] = [it.tiles[0], it.tiles[1]];
    let mut tile = x;
    for row in 0..TILE_SIDE {
        for column in 0..TILE_SIDE {
            let value = f(it.chip, x[index(row, column)], y[index(0, column)]);
            tile[index(row, column)] = lane::store(value, it.width.mask());
        }
    }
    it.replace(it.out, tile);
}

/// Column 0 spreads by additions of zeros, products with zero, which Inf and NaN beside it spoil.
pub(super) fn column(it: &mut Operands<'_>, f: impl Fn(Chip, u32, u32) -> u32) {
    let ([x, y], chip) = ([it.tiles[0], it.tiles[1]], it.chip);
    let add = |x: &Register, y: &Register| Numbers::Float.add(chip, x, y);
    for band in (0..2 * FACE_ROWS).step_by(4) {
        let left = band / FACE_ROWS * 2 * FACE_ROWS + band % FACE_ROWS;
        let values = load(&y, left);
        let mask = |lane: usize| if lane.is_multiple_of(COLUMNS) { ONE } else { 0 };
        let mut spread: Register =
            std::array::from_fn(|lane| fma(chip, values[lane], mask(lane), 0));
        for turns in [1, 2, 4] {
            spread = add(&spread, &rotated(&spread, turns));
        }
        for at in [left, left + ODD, left + FACE_ROWS, left + FACE_ROWS + ODD] {
            let data = load(&x, at);
            let result = std::array::from_fn(|lane| f(chip, data[lane], spread[lane]));
            it.store(it.out, at, Mode::Float, &result);
        }
    }
}
