//! Functions that exchange values between lanes, or carry them from one group of lanes to the next.
//!
//! Written for the unit's 32 lanes: four rows of Dst, every other column. What they leave beside
//! their result is part of the tile too, and comes out as on the hardware.

use super::run::Operands;
use crate::bits::{ONE, SIGN};
use crate::sfpu::MINUS_ONE;
use crate::sfpu::lane::{self, fma};
use crate::{DstWidth, FACE_SIDE, Lanes, TILE_SIDE, index};

/// What a sequence does to the tile that is its result; the operands are in `tiles`.
pub(super) type Sequence = fn(&mut Operands<'_>);

/// 1/32: a tile's rows.
const ONE_32ND: u32 = 0x3d00_0000;
const LANES: usize = 32;
const COLUMNS: usize = 8;
/// Rows of Dst of a face.
const FACE_ROWS: usize = 16;
/// Added to an address, it means the odd columns.
const ODD: usize = 2;

/// Every sequence by the name of its function, with its scalars and operand tiles.
pub(super) const SEQUENCES: &[(&str, &[&str], usize, Sequence)] = &[
    ("power_iterative_tile", &["exponent"], 1, power),
    ("cumsum_tile", &[], 1, cumulative_sum),
    ("tiled_prod_tile", &[], 1, running_product),
    ("alt_complex_rotate90_tile", &[], 1, rotate_complex),
    ("sfpu_add_bcast_row", &[], 2, |it| broadcast_row(it, |x, y| fma(x, ONE, y))),
    ("sfpu_sub_bcast_row", &[], 2, |it| broadcast_row(it, |x, y| fma(y, MINUS_ONE, x))),
    ("sfpu_mul_bcast_row", &[], 2, |it| broadcast_row(it, |x, y| fma(x, y, 0))),
    ("sfpu_add_bcast_col", &[], 2, |it| broadcast_column(it, |x, y| fma(x, ONE, y))),
    ("sfpu_sub_bcast_col", &[], 2, |it| broadcast_column(it, |x, y| fma(x, ONE, y ^ SIGN))),
    ("sfpu_mul_bcast_col", &[], 2, |it| broadcast_column(it, |x, y| fma(x, y, 0))),
    ("sfpu_add_top_row<Float32>", &[], 2, |it| add_top_rows(it, Numbers::Float)),
    ("sfpu_add_top_row<UInt32>", &[], 2, |it| add_top_rows(it, Numbers::Integer)),
    ("sfpu_reduce<SUM,Float32,COL>", &[], 1, |it| sum_columns(it, Numbers::Float, |sum| sum)),
    ("sfpu_reduce<SUM,Float16_b,COL>", &[], 1, |it| sum_columns(it, Numbers::Float, |sum| sum)),
    ("sfpu_reduce<SUM,Int32,COL>", &[], 1, |it| sum_columns(it, Numbers::Integer, |sum| sum)),
    ("sfpu_reduce<SUM,UInt32,COL>", &[], 1, |it| sum_columns(it, Numbers::Integer, |sum| sum)),
    ("sfpu_reduce<AVG,Float32,COL>", &[], 1, |it| sum_columns(it, Numbers::Float, average)),
    ("sfpu_reduce<AVG,Float16_b,COL>", &[], 1, |it| sum_columns(it, Numbers::Float, average)),
    ("sfpu_reduce<AVG,UInt32,COL>", &[], 1, |it| {
        sum_columns(it, Numbers::Integer, average_integer)
    }),
    ("sfpu_reduce<SUM,Float32,ROW>", &[], 1, |it| sum_rows(it, Numbers::Float)),
    ("sfpu_reduce<SUM,Float16_b,ROW>", &[], 1, |it| sum_rows(it, Numbers::Float)),
    ("sfpu_reduce<SUM,Int32,ROW>", &[], 1, |it| sum_rows(it, Numbers::Integer)),
    ("sfpu_reduce<SUM,UInt32,ROW>", &[], 1, |it| sum_rows(it, Numbers::Integer)),
];

/// How lanes are added, loaded and stored.
#[derive(Clone, Copy)]
enum Numbers {
    Float,
    Integer,
}

impl Numbers {
    /// SFPADD or SFPIADD.
    fn add(self, x: &Register, y: &Register) -> Register {
        match self {
            Numbers::Float => std::array::from_fn(|at| fma(x[at], ONE, y[at])),
            Numbers::Integer => std::array::from_fn(|at| x[at].wrapping_add(y[at])),
        }
    }

    fn stored(self, width: DstWidth, value: u32) -> u32 {
        match self {
            Numbers::Float => lane::store(value, width.mask()),
            Numbers::Integer => value,
        }
    }
}

type Register = [u32; LANES];

fn load(tile: &Lanes, at: usize) -> Register {
    std::array::from_fn(|lane| tile[place(at, lane)])
}

fn store(tile: &mut Lanes, at: usize, register: &Register, value: impl Fn(u32) -> u32) {
    for (lane, it) in register.iter().enumerate() {
        tile[place(at, lane)] = value(*it);
    }
}

/// Where a lane lies in a tile.
fn place(at: usize, lane: usize) -> usize {
    let (row, column) = (at & !3, at & ODD);
    (row + lane / COLUMNS) * FACE_SIDE + 2 * (lane % COLUMNS) + column / ODD
}

/// SFPTRANSP: row i of register j against row j of register i.
fn transpose(registers: &mut [Register; 4]) {
    let before = *registers;
    for (i, register) in registers.iter_mut().enumerate() {
        for (at, value) in register.iter_mut().enumerate() {
            *value = before[at / COLUMNS][i * COLUMNS + at % COLUMNS];
        }
    }
}

/// SFPSHFT2: within a row each column takes its left neighbour, some times over.
fn rotated(register: &Register, turns: usize) -> Register {
    std::array::from_fn(|at| {
        let column = (at % COLUMNS + COLUMNS - turns) % COLUMNS;
        register[at - at % COLUMNS + column]
    })
}

/// By squares: the number of products depends on the exponent.
fn power(it: &mut Operands<'_>) {
    let exponent = it.scalars.first().copied().unwrap_or(0);
    for value in &mut it.tiles[it.out] {
        let (mut square, mut result, mut left) = (*value, *value, exponent.saturating_sub(1));
        while left > 0 {
            if left & 1 == 1 {
                result = fma(result, square, 0);
            }
            square = fma(square, square, 0);
            left >>= 1;
        }
        *value = lane::store(if exponent == 0 { ONE } else { result }, it.width.mask());
    }
}

/// Down each column; the running sum keeps its 32 bits whatever Dst holds.
fn cumulative_sum(it: &mut Operands<'_>) {
    let tile = &mut it.tiles[it.out];
    for column in 0..TILE_SIDE {
        let mut sum = 0;
        for row in 0..TILE_SIDE {
            let value = &mut tile[index(row, column)];
            sum = fma(ONE, sum, *value);
            *value = lane::store(sum, it.width.mask());
        }
    }
}

/// From each group of lanes of a face to the next, and on to the first group of the face below.
fn running_product(it: &mut Operands<'_>) {
    let tile = &mut it.tiles[it.out];
    for face in 0..4 {
        let mut product = load(tile, face * FACE_ROWS);
        let last = if face == 3 { 8 } else { 9 };
        for step in 0..last {
            let at = face * FACE_ROWS + ODD * step;
            let values = load(tile, at);
            if step > 0 {
                product = std::array::from_fn(|lane| fma(product[lane], values[lane], 0));
            }
            store(tile, at, &product, |value| lane::store(value, it.width.mask()));
        }
    }
}

/// Pairs of columns (a, b) become (-b, a).
fn rotate_complex(it: &mut Operands<'_>) {
    let mask = it.width.mask();
    for pair in it.tiles[it.out].as_chunks_mut::<2>().0 {
        let [a, b] = *pair;
        *pair = [lane::store(b ^ SIGN, mask), lane::store(a, mask)];
    }
}

fn broadcast_row(it: &mut Operands<'_>, f: impl Fn(u32, u32) -> u32) {
    let [x, y] = [it.tiles[0], it.tiles[1]];
    for row in 0..TILE_SIDE {
        for column in 0..TILE_SIDE {
            let value = f(x[index(row, column)], y[index(0, column)]);
            it.tiles[it.out][index(row, column)] = lane::store(value, it.width.mask());
        }
    }
}

/// Column 0 spreads by additions of zeros, products with zero, which Inf and NaN beside it spoil.
fn broadcast_column(it: &mut Operands<'_>, f: impl Fn(u32, u32) -> u32) {
    let [x, y] = [it.tiles[0], it.tiles[1]];
    let add = |x: &Register, y: &Register| Numbers::Float.add(x, y);
    for band in (0..2 * FACE_ROWS).step_by(4) {
        let left = band / FACE_ROWS * 2 * FACE_ROWS + band % FACE_ROWS;
        let values = load(&y, left);
        let mask = |lane: usize| if lane.is_multiple_of(COLUMNS) { ONE } else { 0 };
        let mut spread: Register = std::array::from_fn(|lane| fma(values[lane], mask(lane), 0));
        for turns in [1, 2, 4] {
            spread = add(&spread, &rotated(&spread, turns));
        }
        for at in [left, left + ODD, left + FACE_ROWS, left + FACE_ROWS + ODD] {
            let data = load(&x, at);
            let result = std::array::from_fn(|lane| f(data[lane], spread[lane]));
            store(&mut it.tiles[it.out], at, &result, |value| lane::store(value, it.width.mask()));
        }
    }
}

/// The first four rows of the upper faces of two tiles.
fn add_top_rows(it: &mut Operands<'_>, numbers: Numbers) {
    for at in [0, ODD, FACE_ROWS, FACE_ROWS + ODD] {
        let sum = numbers.add(&load(&it.tiles[0], at), &load(&it.tiles[1], at));
        let width = it.width;
        store(&mut it.tiles[it.out], at, &sum, |value| numbers.stored(width, value));
    }
}

fn average(sum: u32) -> u32 {
    fma(sum, ONE_32ND, 0)
}

/// Toward zero.
fn average_integer(sum: u32) -> u32 {
    let magnitude = (sum as i32).wrapping_abs() as u32 >> 5;
    if sum & SIGN == 0 { magnitude } else { magnitude.wrapping_neg() }
}

/// Eight columns at a time of two faces, one above the other.
fn sum_columns(it: &mut Operands<'_>, numbers: Numbers, finish: fn(u32) -> u32) {
    let (tile, width) = (&mut it.tiles[it.out], it.width);
    for at in [0, ODD, FACE_ROWS, FACE_ROWS + ODD] {
        let group =
            |below: usize| std::array::from_fn::<_, 4, _>(|part| load(tile, at + below + 4 * part));
        let (upper, lower) = (added(numbers, &group(0)), added(numbers, &group(2 * FACE_ROWS)));
        let rest = group(0);
        // The registers beside the sum take part in the transposition, and are added too.
        let mut registers = partial(numbers, &rest);
        registers[0] = numbers.add(&upper, &lower);
        transpose(&mut registers);
        let sum = match numbers {
            Numbers::Float => {
                let high = numbers.add(&registers[2], &registers[3]);
                numbers.add(&numbers.add(&registers[0], &registers[1]), &high)
            }
            Numbers::Integer => added(numbers, &registers),
        };
        store(tile, at, &sum, |value| numbers.stored(width, finish(value)));
    }
}

/// The sum of four registers, from the last to the first.
fn added(numbers: Numbers, registers: &[Register; 4]) -> Register {
    partial(numbers, registers)[0]
}

/// Each register with all that follow it.
fn partial(numbers: Numbers, registers: &[Register; 4]) -> [Register; 4] {
    let mut sums = *registers;
    for place in [2, 1, 0] {
        sums[place] = numbers.add(&sums[place], &sums[place + 1]);
    }
    sums
}

/// Eight rows at a time of two faces side by side.
fn sum_rows(it: &mut Operands<'_>, numbers: Numbers) {
    let (tile, width) = (&mut it.tiles[it.out], it.width);
    for at in [0, 8, 2 * FACE_ROWS, 2 * FACE_ROWS + 8] {
        for first in [0, 4] {
            let parts =
                [0, ODD, FACE_ROWS, FACE_ROWS + ODD].map(|part| load(tile, at + first + part));
            let mut sum = added(numbers, &parts);
            for turns in [4, 2, 1] {
                sum = numbers.add(&sum, &rotated(&sum, turns));
            }
            store(tile, at + first, &sum, |value| numbers.stored(width, value));
        }
    }
}
