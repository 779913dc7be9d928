//! Sums and averages of columns and rows of a tile.

use super::unit::{FACE_ROWS, ODD, load, rotated, transpose};
use crate::Chip;
use crate::bits::{ONE, SIGN};
use crate::sfpu::lane::fma;
use crate::sfpu::program::run::{Mode, Operands};
use crate::sfpu::program::state::{LANES, Register};

/// 1/32: a tile's rows.
const ONE_32ND: u32 = 0x3d00_0000;

/// How lanes are added, loaded and stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    Float,
    /// Two's complement, or without a sign.
    Integer,
    /// Sign and magnitude in Dst, two's complement in the unit: converted by loads and stores where
    /// those do it.
    SignMagnitude,
    /// The same, converted by instructions where loads and stores do not.
    Converted,
}

impl Numbers {
    /// SFPADD or SFPIADD.
    pub(super) fn add(self, chip: Chip, x: &Register, y: &Register) -> Register {
        match self {
            Numbers::Float => std::array::from_fn(|at| fma(chip, x[at], ONE, y[at])),
            Numbers::Integer | Numbers::SignMagnitude | Numbers::Converted => {
                std::array::from_fn(|at| x[at].wrapping_add(y[at]))
            }
        }
    }

    fn mode(self, chip: Chip) -> Mode {
        match self {
            Numbers::Float => Mode::Float,
            Numbers::Integer => Mode::Int32,
            Numbers::SignMagnitude | Numbers::Converted => Mode::signed(chip),
        }
    }

    fn load(self, it: &Operands<'_>, tile: usize, at: usize) -> Register {
        let register = load(&it.tiles[tile], at).map(|value| self.mode(it.chip).load(value));
        if self.is_converted(it.chip) { converted(&register) } else { register }
    }

    fn store(self, it: &mut Operands<'_>, at: usize, register: &Register) {
        let register = if self.is_converted(it.chip) { &converted(register) } else { register };
        it.store(it.out, at, self.mode(it.chip), register);
    }

    fn is_converted(self, chip: Chip) -> bool {
        self == Numbers::Converted && chip.has_raw_integers()
    }
}

pub(super) fn average(chip: Chip, sum: u32) -> u32 {
    fma(chip, sum, ONE_32ND, 0)
}

/// Toward zero.
pub(super) fn average_signed(_: Chip, sum: u32) -> u32 {
    let magnitude = (sum as i32).wrapping_abs() as u32 >> 5;
    if sum & SIGN == 0 { magnitude } else { magnitude.wrapping_neg() }
}

/// The first four rows of the upper faces of two tiles.
pub(super) fn top_rows(it: &mut Operands<'_>, numbers: Numbers) {
    for at in [0, ODD, FACE_ROWS, FACE_ROWS + ODD] {
        let sum = numbers.add(it.chip, &numbers.load(it, 0, at), &numbers.load(it, 1, at));
        it.store(it.out, at, numbers.mode(it.chip), &sum);
    }
}

/// What becomes of a sum.
type Finish = fn(Chip, u32) -> u32;

/// Eight columns at a time of two faces, one above the other.
pub(super) fn of_columns(it: &mut Operands<'_>, numbers: Numbers, finish: Finish) {
    let chip = it.chip;
    for at in [0, ODD, FACE_ROWS, FACE_ROWS + ODD] {
        let group = |below: usize| -> [Register; 4] {
            std::array::from_fn(|part| numbers.load(it, it.out, at + below + 4 * part))
        };
        let (upper, lower) =
            (added(it, numbers, &group(0)), added(it, numbers, &group(2 * FACE_ROWS)));
        // The registers beside the sum take part in the transposition, and are added too.
        let mut registers = if numbers.is_converted(chip) {
            let [_, second, third, fourth] = group(2 * FACE_ROWS);
            [fourth, fourth, second, third]
        } else {
            partial(it, numbers, &group(0))
        };
        registers[0] = numbers.add(chip, &upper, &lower);
        transpose(&mut registers);
        let sum = if numbers == Numbers::Float && chip.sums_floats_in_pairs() {
            let high = numbers.add(chip, &registers[2], &registers[3]);
            numbers.add(chip, &numbers.add(chip, &registers[0], &registers[1]), &high)
        } else {
            added(it, numbers, &registers)
        };
        numbers.store(it, at, &sum.map(|sum| finish(chip, sum)));
    }
}

/// The sum of four registers, from the last to the first.
fn added(it: &Operands<'_>, numbers: Numbers, registers: &[Register; 4]) -> Register {
    partial(it, numbers, registers)[0]
}

/// Each register with all that follow it.
fn partial(it: &Operands<'_>, numbers: Numbers, registers: &[Register; 4]) -> [Register; 4] {
    let mut sums = *registers;
    for place in [2, 1, 0] {
        sums[place] = numbers.add(it.chip, &sums[place], &sums[place + 1]);
    }
    sums
}

/// Eight rows at a time of two faces side by side.
pub(super) fn of_rows(it: &mut Operands<'_>, numbers: Numbers) {
    for rows in (0..FACE_ROWS).step_by(4) {
        for at in [rows, 2 * FACE_ROWS + rows] {
            let parts = [0, ODD, FACE_ROWS, FACE_ROWS + ODD]
                .map(|part| numbers.load(it, it.out, at + part));
            let mut sum = added(it, numbers, &parts);
            for turns in [4, 2, 1] {
                sum = numbers.add(it.chip, &sum, &rotated(&sum, turns));
            }
            it.store(it.out, at, numbers.mode(it.chip), &sum);
        }
    }
}

/// `sfpu_sum_int_col`: groups of four rows are added down two faces; rows of a group are not.
pub(super) fn groups_of_rows(it: &mut Operands<'_>) {
    for at in [0, ODD, FACE_ROWS, FACE_ROWS + ODD] {
        add_groups(it, at, &[0, 4, 8, 12, 32, 36, 40, 44]);
    }
}

/// `sfpu_sum_int_row`: even and odd columns of two faces side by side are added.
pub(super) fn groups_of_columns(it: &mut Operands<'_>) {
    for rows in (0..FACE_ROWS).step_by(4) {
        for at in [rows, 2 * FACE_ROWS + rows] {
            add_groups(it, at, &[0, ODD, FACE_ROWS, FACE_ROWS + ODD]);
        }
    }
}

/// Where loads and stores convert between sign-magnitude and two's complement the function does so
/// too: it adds what Dst holds.
fn add_groups(it: &mut Operands<'_>, at: usize, groups: &[usize]) {
    let (mode, is_raw) = (Mode::signed(it.chip), it.chip.has_raw_integers());
    let undone = |register: Register| if is_raw { register } else { converted(&register) };
    let sum = groups.iter().fold([0; LANES], |sum, group| {
        let values = Numbers::SignMagnitude.load(it, it.out, at + group);
        Numbers::Integer.add(it.chip, &sum, &undone(values))
    });
    it.store(it.out, at, mode, &undone(sum));
}

/// Between two's complement and sign and magnitude, either way.
pub(super) fn converted(register: &Register) -> Register {
    register.map(|value| {
        let negative = SIGN | value.wrapping_neg() & !SIGN;
        if value & SIGN == 0 { value } else { negative }
    })
}
