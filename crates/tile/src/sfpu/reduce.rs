//! Sums over a tile of a 32-bit Dst by the vector engine: columns into row 0, rows into column 0.
//!
//! Instruction by instruction what tt-metal's `ckernel_sfpu_reduce.h` does for SUM of Float32, with
//! the moves between lanes as the ISA documentation has them (SFPTRANSP, SFPSHFT2). What is stored
//! beside the sums is part of the tile too, and comes out as on the hardware.

use super::lane;
use crate::bits::ONE;
use crate::{Chip, DstWidth, Lanes};

/// What is added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sum {
    /// Each column; the sum is in row 0.
    Columns,
    /// Each row; the sum is in column 0.
    Rows,
}

/// Lanes of a register: four rows of eight columns.
const LANES: usize = 32;
const COLUMNS: usize = 8;
/// Rows of Dst below those of the face above or to the left.
const FACE_ROWS: usize = 16;
/// Values in a row of Dst.
const ROW_VALUES: usize = 16;
/// Added to an address, it means the odd columns.
const ODD: usize = 2;

type Register = [u32; LANES];

/// Replaces part of a tile by sums over it.
pub fn sum(chip: Chip, sum: Sum, tile: &mut Lanes) {
    match sum {
        Sum::Columns => [0, ODD, FACE_ROWS, FACE_ROWS + ODD].map(|at| columns(chip, at, tile)),
        Sum::Rows => [0, 8, 2 * FACE_ROWS, 2 * FACE_ROWS + 8].map(|at| rows(chip, at, tile)),
    };
}

/// Eight columns of two faces, one above the other.
fn columns(chip: Chip, at: usize, tile: &mut Lanes) {
    let mut registers: [Register; 8] = std::array::from_fn(|register| {
        let below = if register < 4 { 0 } else { 2 * FACE_ROWS };
        load(tile, at + below + 4 * (register % 4))
    });
    down(chip, &mut registers);
    registers[0] = added(chip, &registers[0], &registers[4]);
    let [a, b, c, d, ..] = &mut registers;
    transpose([a, b, c, d]);
    registers[2] = added(chip, &registers[2], &registers[3]);
    registers[0] = added(chip, &registers[0], &registers[1]);
    registers[0] = added(chip, &registers[0], &registers[2]);
    store(tile, at, &registers[0]);
}

/// Eight rows of two faces side by side, four at a time.
fn rows(chip: Chip, at: usize, tile: &mut Lanes) {
    let mut registers: [Register; 8] = std::array::from_fn(|register| {
        let face = if register % 4 < 2 { 0 } else { FACE_ROWS };
        load(tile, at + face + 4 * (register / 4) + ODD * (register % 2))
    });
    down(chip, &mut registers);
    for first in [0, 4] {
        let mut register = registers[first];
        for turns in [4, 2, 1] {
            register = added(chip, &register, &rotated(&register, turns));
        }
        store(tile, at + first, &register);
    }
}

/// The first four registers into the first of them, and the last four likewise.
fn down(chip: Chip, registers: &mut [Register; 8]) {
    for first in [0, 4] {
        for place in [2, 1, 0] {
            registers[first + place] =
                added(chip, &registers[first + place], &registers[first + place + 1]);
        }
    }
}

/// SFPADD.
fn added(chip: Chip, x: &Register, y: &Register) -> Register {
    std::array::from_fn(|at| lane::fma(chip, x[at], ONE, y[at]))
}

/// SFPTRANSP: row i of register j against row j of register i.
fn transpose(registers: [&mut Register; 4]) {
    let before = registers.each_ref().map(|register| **register);
    for (i, register) in registers.into_iter().enumerate() {
        for (at, value) in register.iter_mut().enumerate() {
            *value = before[at / COLUMNS][i * COLUMNS + at % COLUMNS];
        }
    }
}

/// SFPSHFT2 with SUBVEC_SHFLROR1, some times: within a row, each column takes its left neighbour.
fn rotated(register: &Register, turns: usize) -> Register {
    std::array::from_fn(|at| {
        let column = (at % COLUMNS + COLUMNS - turns) % COLUMNS;
        register[at - at % COLUMNS + column]
    })
}

/// Where a lane lies in Dst: four rows from the address on, every other column.
fn place(at: usize, lane: usize) -> usize {
    let (row, column) = (at & !3, at & ODD);
    (row + lane / COLUMNS) * ROW_VALUES + 2 * (lane % COLUMNS) + column / ODD
}

fn load(tile: &Lanes, at: usize) -> Register {
    std::array::from_fn(|lane| tile[place(at, lane)])
}

fn store(tile: &mut Lanes, at: usize, register: &Register) {
    for (lane, value) in register.iter().enumerate() {
        tile[place(at, lane)] = lane::store(*value, DstWidth::Bits32.mask());
    }
}
