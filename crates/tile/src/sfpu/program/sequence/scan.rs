//! Functions that carry values from rows to the rows below, and from one call to the next.

use super::unit::{FACE_ROWS, ODD, TILE_ROWS, load, transpose};
use crate::Chip;
use crate::bits::{MANTISSA, ONE, SIGN, exponent};
use crate::sfpu::MINUS_ONE;
use crate::sfpu::lane::{self, fma};
use crate::sfpu::program::instruction::multiply_low;
use crate::sfpu::program::run::{Mode, Operands};
use crate::sfpu::program::state::{LANES, Register};

/// Rows of a tile.
const ROWS: usize = 32;
/// The register that holds the last result of `ema_tile`, and the mean of `welford_update`.
const MEAN: usize = 4;
/// The register that holds the sum of squares of `welford_update`.
const SQUARES: usize = 5;
/// The registers that hold the factors of `ema_tile`: of the last result, and of the next value.
const FACTORS: [usize; 2] = [5, 6];
/// The register that holds the last sum of `cumsum_tile`.
const SUM: usize = 7;

/// `cumsum_tile` of the first tile of a column.
pub(super) fn first_sum(it: &mut Operands<'_>) {
    it.state.registers[SUM] = [0; LANES];
    cumulative_sum(it);
}

/// `cumsum_tile`: down each column. The running sum keeps its 32 bits whatever Dst holds.
pub(super) fn cumulative_sum(it: &mut Operands<'_>) {
    for_each_row(it, it.out, it.out, |it, row| {
        let sum = &mut it.state.registers[SUM];
        *sum = std::array::from_fn(|lane| fma(it.chip, ONE, sum[lane], row[lane]));
        *sum
    });
}

/// `ema_tile`: down each column of a tile, to the next tile.
pub(super) fn moving_average(it: &mut Operands<'_>) {
    for_each_row(it, 0, 1, |it, row| {
        let [alpha, beta] = FACTORS.map(|register| it.state.registers[register]);
        let last = &mut it.state.registers[MEAN];
        *last = std::array::from_fn(|lane| {
            let old = fma(it.chip, alpha[lane], last[lane], 0);
            fma(it.chip, beta[lane], row[lane], old)
        });
        *last
    });
}

/// `ema_init`.
pub(super) fn load_factors(it: &mut Operands<'_>) {
    for (at, register) in FACTORS.into_iter().enumerate() {
        it.state.registers[register] = [it.scalars.get(at).copied().unwrap_or(0); LANES];
    }
}

/// Four rows at a time, each as a register of all its columns; what `act` makes of it is stored.
fn for_each_row(
    it: &mut Operands<'_>,
    from: usize,
    to: usize,
    mut act: impl FnMut(&mut Operands<'_>, &Register) -> Register,
) {
    for band in (0..ROWS).step_by(4) {
        let mut rows = band_of_rows(it, from, band);
        for row in &mut rows {
            *row = act(it, row);
        }
        transpose(&mut rows);
        for (at, row) in band_addresses(band).into_iter().zip(&rows) {
            it.store(to, at, Mode::Float, row);
        }
    }
}

/// Where Dst holds four rows of a tile: even and odd columns of two faces.
fn band_addresses(row: usize) -> [usize; 4] {
    let at = row / FACE_ROWS * 2 * FACE_ROWS + row % FACE_ROWS;
    [at, at + ODD, at + FACE_ROWS, at + FACE_ROWS + ODD]
}

fn band_of_rows(it: &Operands<'_>, tile: usize, row: usize) -> [Register; 4] {
    let mut rows = band_addresses(row).map(|at| load(&it.tiles[tile], at));
    transpose(&mut rows);
    rows
}

/// `welford_clear`.
pub(super) fn welford_clear(it: &mut Operands<'_>) {
    it.state.registers[MEAN] = [0; LANES];
    it.state.registers[SQUARES] = [0; LANES];
}

/// `ema_clear_previous_output`.
pub(super) fn clear_average(it: &mut Operands<'_>) {
    it.state.registers[MEAN] = [0; LANES];
}

/// `welford_update_rows`: mean and sum of squares of each column, over some rows of a tile. The
/// scalars are the first row, the number of rows, and for each of them the reciprocal of the number
/// of values up to it.
pub(super) fn welford_update(it: &mut Operands<'_>) {
    let scalar = |at: usize| it.scalars.get(at).copied().unwrap_or(0);
    let (first, count) = (scalar(0) as usize, scalar(1) as usize);
    for row in first..(first.saturating_add(count)).min(ROWS) {
        let reciprocal = scalar(2 + row - first);
        let values = band_of_rows(it, 0, row & !3)[row & 3];
        for (lane, x) in values.into_iter().enumerate() {
            let mean = it.state.registers[MEAN][lane];
            let from = |mean: u32| fma(it.chip, MINUS_ONE, mean, x);
            let new_mean = fma(it.chip, from(mean), reciprocal, mean);
            let squares = &mut it.state.registers[SQUARES][lane];
            *squares = fma(it.chip, from(mean), from(new_mean), *squares);
            it.state.registers[MEAN][lane] = new_mean;
        }
    }
}

fn mean_and_variance(it: &mut Operands<'_>) -> [Register; 2] {
    let scale = it.scalars.first().copied().unwrap_or(0);
    let squares = it.state.registers[SQUARES];
    [it.state.registers[MEAN], squares.map(|squares| fma(it.chip, scale, squares, 0))]
}

/// `welford_finalize_to_row`: in the first row of two tiles, with zeros in three rows below.
pub(super) fn welford_to_row(it: &mut Operands<'_>) {
    for (tile, register) in mean_and_variance(it).into_iter().enumerate() {
        let mut rows = [register, [0; LANES], [0; LANES], [0; LANES]];
        transpose(&mut rows);
        for (at, row) in band_addresses(0).into_iter().zip(&rows) {
            it.store(tile, at, Mode::Float, row);
        }
    }
}

/// `welford_finalize_to_face`: as the unit holds them, in the even columns of four rows. The
/// scalars are the scale and the group, which lies four rows below the one before it.
pub(super) fn welford_to_face(it: &mut Operands<'_>) {
    let group = it.scalars.get(1).copied().unwrap_or(0) as usize;
    for (tile, register) in mean_and_variance(it).into_iter().enumerate() {
        it.store(tile, 4 * group, Mode::Float, &register);
    }
}

/// `welford_store_state` of a group: mean and sum of squares.
pub(super) fn welford_store(it: &mut Operands<'_>) {
    let group = it.scalars.first().copied().unwrap_or(0) as usize;
    for (tile, register) in [MEAN, SQUARES].into_iter().enumerate() {
        let value = it.state.registers[register];
        it.store(tile, 4 * group, Mode::Float, &value);
    }
}

/// `welford_restore_state` of a group.
pub(super) fn welford_restore(it: &mut Operands<'_>) {
    let group = it.scalars.first().copied().unwrap_or(0) as usize;
    for (tile, register) in [MEAN, SQUARES].into_iter().enumerate() {
        match 4 * group < TILE_ROWS {
            true => it.state.registers[register] = load(&it.tiles[tile], 4 * group),
            false => it.overran = true,
        }
    }
}

/// From each group of lanes of a face to the next, and on to the first group of the face below.
pub(super) fn running_product(it: &mut Operands<'_>) {
    for face in 0..4 {
        let mut product = load(&it.tiles[it.out], face * FACE_ROWS);
        let last = if face == 3 { 8 } else { 9 };
        for step in 0..last {
            let at = face * FACE_ROWS + ODD * step;
            let values = load(&it.tiles[it.out], at);
            if step > 0 {
                product = std::array::from_fn(|lane| fma(it.chip, product[lane], values[lane], 0));
            }
            it.store(it.out, at, Mode::Float, &product);
        }
    }
}

/// Keeps the scalars of an init call.
pub(super) fn keep_scalars(it: &mut Operands<'_>) {
    it.state.scalars = std::array::from_fn(|at| it.scalars.get(at).copied().unwrap_or(0));
}

/// Seeds the generator of each lane.
pub(super) fn seed(it: &mut Operands<'_>) {
    let seed = it.scalars.first().copied().unwrap_or(0);
    it.state.seed(seed);
}

/// `dropout_tile`: values are scaled, and dropped where the generator's number, without its sign,
/// is not above the probability.
pub(super) fn dropout(it: &mut Operands<'_>) {
    let [probability, scale] = [0, 1].map(|at| it.scalars.get(at).copied().unwrap_or(0));
    for at in (0..2 * ROWS).step_by(ODD) {
        let numbers = it.state.next_random();
        let values = load(&it.tiles[it.out], at);
        let result = std::array::from_fn(|lane| {
            let left = probability.wrapping_sub(numbers[lane] & !SIGN);
            if left as i32 >= 0 { 0 } else { fma(it.chip, values[lane], scale, 0) }
        });
        it.store(it.out, at, Mode::Float, &result);
    }
}

/// `rand_tile`: uniform values from the generator, whose numbers each lane salts and mixes.
/// Its scalars are the least value and the range.
pub(super) fn random(it: &mut Operands<'_>) {
    let [from, scale] = [0, 1].map(|at| it.scalars.get(at).copied().unwrap_or(0));
    for face in 0..4 {
        // Each step reads the number of the next, and the last one of a face reads one too many.
        let mut numbers = it.state.next_random();
        for step in 0..FACE_ROWS / 2 {
            let values = std::array::from_fn(|lane| {
                let mixed = mixed(numbers[lane].wrapping_add(salt(lane as u32)));
                scaled(it.chip, lane::cast_sign_magnitude(mixed) & !SIGN, from, scale)
            });
            numbers = it.state.next_random();
            it.store(it.out, face * FACE_ROWS + ODD * step, Mode::Float, &values);
        }
    }
}

/// What is added to a lane's numbers.
fn salt(lane: u32) -> u32 {
    let offset = 2 * lane + 407;
    let once = offset << 14 ^ offset;
    once << 6 ^ once
}

/// Every bit of a number spread over all: shifts, and a product of its lower 23 bits.
fn mixed(number: u32) -> u32 {
    const FACTOR: u32 = 0x3f56_594b;
    let number = number ^ number >> 8;
    let number = number ^ number >> 16;
    let number = number & !MANTISSA | multiply_low(number, FACTOR);
    let number = number ^ number << 8;
    number ^ number >> 14
}

/// A number of 31 bits as a float from `from` on. Its unit is in the scale, unless that would lose
/// bits there.
fn scaled(chip: Chip, number: u32, from: u32, scale: u32) -> u32 {
    const UNIT: u32 = 0x3000_0000;
    const UNIT_BITS: u32 = 31;
    let e = exponent(scale);
    if e > UNIT_BITS && e < 255 {
        return fma(chip, number, scale - (UNIT_BITS << 23), from);
    }
    fma(chip, fma(chip, number, UNIT, 0), scale, from)
}
