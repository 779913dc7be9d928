//! The largest or smallest value of each column or row, with and without its index.

use super::sum::converted;
use super::unit::{
    FACE_ROWS, MinimumRows, ODD, TILE_ROWS, Unit, exchange, load, rotated, sort, transpose,
};
use crate::DstWidth;
use crate::bits::SIGN;
use crate::sfpu::program::run::{Mode, Operands};
use crate::sfpu::program::state::Register;

/// Which end of the order is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extreme {
    Maximum,
    Minimum,
}

/// How values are compared. Patterns without a sign are compared as those with one: the unit has
/// no other order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    Float,
    /// 32 bits as they are.
    Word,
    /// Two's complement: pairs of negative values change places once more.
    Signed,
}

impl Compared {
    fn mode(self) -> Mode {
        match self {
            Compared::Float => Mode::Float,
            Compared::Word | Compared::Signed => Mode::Int32,
        }
    }

    /// Gives `best` the wanted value of each lane, and `rest` the other one.
    fn order(self, extreme: Extreme, rest: &mut Register, best: &mut Register) {
        let minimum = match extreme {
            Extreme::Maximum => MinimumRows::ALL,
            Extreme::Minimum => MinimumRows::NONE,
        };
        sort(rest, best, minimum);
        if self == Compared::Signed {
            let both = std::array::from_fn(|lane| rest[lane] & best[lane] & SIGN != 0);
            exchange(rest, best, &both);
        }
    }

    /// The wanted value of four registers to the first of them; the others hold what is left.
    fn fold(self, extreme: Extreme, registers: &mut [Register; 4]) {
        for at in [2, 1, 0] {
            let [best, rest] = registers.get_disjoint_mut([at, at + 1]).expect("two registers");
            self.order(extreme, rest, best);
        }
    }
}

/// Of each column of a tile, in its first row. Two faces above each other at a time.
pub(super) fn of_columns(it: &mut Operands<'_>, extreme: Extreme, compared: Compared) {
    // Blackhole goes by way of Dst, unless the values have signs.
    let stores_parts = it.chip.reduces_by_way_of_dst() && compared != Compared::Signed;
    for face in [0, FACE_ROWS] {
        let mut part = |column: usize| {
            let mut four =
                std::array::from_fn(|at| load(&it.tiles[it.out], face + column + 4 * at));
            compared.fold(extreme, &mut four);
            if stores_parts {
                it.store(it.out, face + column, compared.mode(), &four[0]);
                return load(&it.tiles[it.out], face + column);
            }
            four[0]
        };
        let lower = 2 * FACE_ROWS;
        let mut four = [part(0), part(lower), part(ODD), part(lower + ODD)];
        transpose(&mut four);
        compared.fold(extreme, &mut four);
        transpose(&mut four);
        for (column, at) in [(0, 0), (ODD, 2)] {
            let [best, rest] = four.get_disjoint_mut([at, at + 1]).expect("two registers");
            compared.order(extreme, rest, best);
            it.store(it.out, face + column, compared.mode(), &four[at]);
        }
    }
}

/// Of each row of a tile, in its first column. Two faces side by side at a time.
pub(super) fn of_rows(it: &mut Operands<'_>, extreme: Extreme, compared: Compared) {
    // Blackhole compares integers as sign and magnitude, with or without a sign.
    let mode = compared.mode();
    let is_converted = it.chip.has_raw_integers() && mode == Mode::Int32;
    let compared = if is_converted { Compared::Word } else { compared };
    for rows in (0..FACE_ROWS).step_by(4) {
        for at in [rows, 2 * FACE_ROWS + rows] {
            let [mut best, mut second, mut third, mut fourth] =
                [0, ODD, FACE_ROWS, FACE_ROWS + ODD].map(|part| {
                    let register = load(&it.tiles[it.out], at + part);
                    if is_converted { converted(&register) } else { register }
                });
            compared.order(extreme, &mut third, &mut best);
            compared.order(extreme, &mut fourth, &mut second);
            compared.order(extreme, &mut second, &mut best);
            for turns in [4, 2, 1] {
                compared.order(extreme, &mut rotated(&best, turns), &mut best);
            }
            let best = if is_converted { converted(&best) } else { best };
            it.store(it.out, at, mode, &best);
        }
    }
}

/// `max_reduce_with_indices` of up to nine rows. Its operands are a tile of values, a tile of their
/// indices, and the tiles of Dst after each of them: the function runs once for each face, and
/// takes the face after it along.
pub(super) fn with_indices(it: &mut Operands<'_>) {
    let indices = match it.width {
        DstWidth::Bits16 => Mode::UInt16,
        DstWidth::Bits32 => Mode::Int32,
    };
    let mut pooling = Pooling { unit: Unit::of(it), indices };
    for face in 0..4 {
        pooling.face(face);
        pooling.face(face + 1);
    }
}

struct Pooling<'a, 'b> {
    unit: Unit<'a, 'b>,
    indices: Mode,
}

impl Pooling<'_, '_> {
    /// Where the unit finds an address of the values, and that of their indices.
    fn addresses(at: usize) -> (usize, usize) {
        let value = at / TILE_ROWS * 2 * TILE_ROWS + at % TILE_ROWS;
        (value, value + TILE_ROWS)
    }

    fn fetch(&mut self, register: usize, at: usize) {
        let (value, index) = Pooling::addresses(at);
        self.unit.load(register, Mode::Float, value);
        self.unit.load(register + 4, self.indices, index);
    }

    fn sort(&mut self, pairs: &[(usize, usize)]) {
        for (x, y) in pairs {
            self.unit.sort_tracked(*x, *y, MinimumRows::NONE);
        }
    }

    fn face(&mut self, face: usize) {
        let first = face * FACE_ROWS;
        for (register, at) in [(0, 0), (1, 4), (2, ODD), (3, 4 + ODD)] {
            self.fetch(register, first + at);
        }
        self.unit.transpose();
        self.sort(&[(0, 1), (2, 3), (0, 2)]);
        self.unit.transpose();
        self.sort(&[(0, 1), (2, 3)]);
        self.fetch(1, first + 8);
        self.fetch(3, first + 8 + ODD);
        self.sort(&[(0, 1), (2, 3)]);
        for (register, at) in [(0, first), (2, first + ODD)] {
            let (value, index) = Pooling::addresses(at);
            self.unit.store(register, Mode::Float, value);
            self.unit.store(register + 4, self.indices, index);
        }
    }
}
