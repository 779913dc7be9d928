//! DOT16: sums of 16 products, the heart of matrix products and sum reductions.
//!
//! Vectorised over outputs: one operand has a value per output and k ("lanes"), the other a value
//! per k ("scalars"). Either may be SrcA; the two differ in how a fidelity phase splits them.

use std::cell::RefCell;

use super::accumulate::{Term, accumulate_pair};
use crate::bits::{exponent, flush, significand};
use crate::{Chip, FACE_SIDE, TILE_SIDE};

/// Which source register an operand sits in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    SrcA,
    SrcB,
}

/// A 32x32 table of values or of some field of them.
pub(super) type Table<T> = [[T; TILE_SIDE]; TILE_SIDE];

/// An operand before it is split.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) register: Register,
    /// The bits that its configured format keeps.
    pub(super) mask: u32,
    pub(super) rows: &'a Table<u32>,
    /// How many rows are used.
    pub(super) used: usize,
}

/// Both operands, split into what the phases multiply.
pub(super) struct Dot {
    pub(super) lanes: Split,
    pub(super) scalars: Split,
    lane_register: Register,
    /// Whether parts are floats, for [`sum_by_host`], instead of integers.
    is_by_host: bool,
    /// See [`Chip::faulty_sum`].
    pub(super) faulty_sum: i32,
}

/// An operand split into exponents and the upper and lower parts of significands.
pub(super) struct Split {
    /// Exponent fields; far below any other for zeros.
    pub(super) exponents: Table<i32>,
    /// The same in a byte, less [`BYTE_BIAS`]: only of ordinary values, for `blocks`.
    pub(super) bytes: Table<i8>,
    /// Bits of signed integers, or of floats of the parts' true weight.
    pub(super) parts: [Table<u32>; 2],
}

/// The exponent field that a byte holds as 0. Ordinary ones become -38 to 38, and that of a zero
/// -122, which is below every sum of two others with any of them added.
pub(super) const BYTE_BIAS: i32 = 122;

/// Stands for the exponent of zero: sums with it stay below every real one.
pub(super) const NO_EXPONENT: i32 = -1000;

/// Exponent fields for which the float path is proven, see [`sum_by_host`].
const MODERATE: std::ops::RangeInclusive<u32> = 16..=183;

/// 1 + 2^-16: what SrcA's float parts are enlarged by.
const ENLARGE: f32 = 1.0 + 1.0 / 65536.0;

/// Products that are aligned to the largest of them, without guard bits.
pub(super) const GROUP: usize = FACE_SIDE / 2;

/// Where in its operands a sum finds its 16 products.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// First row of the lanes' table; lane `j` is its column `first_lane + j`.
    pub(super) lane_row: usize,
    pub(super) first_lane: usize,
    /// Row and first column of the scalars' table.
    pub(super) scalar_row: usize,
    pub(super) scalar_column: usize,
}

/// The largest sum of two exponent fields in each group of each lane; the same in every phase.
pub(super) type Tops<const LANES: usize> = [[i32; LANES]; 2];

thread_local! {
    /// Tables are large: one place a thread stays in the host's caches, and off the small stacks of
    /// those who call.
    static TABLES: RefCell<Box<Dot>> = RefCell::new(Box::new(Dot {
        lanes: Split::EMPTY,
        scalars: Split::EMPTY,
        lane_register: Register::SrcA,
        is_by_host: false,
        faulty_sum: 0,
    }));
}

impl Dot {
    /// Lends this thread's tables, which hold what the last one left: fill them first.
    pub(super) fn lend<R>(chip: Chip, work: impl FnOnce(&mut Dot) -> R) -> R {
        TABLES.with_borrow_mut(|tables| {
            tables.faulty_sum = chip.faulty_sum();
            work(tables)
        })
    }

    /// Splits both operands. `FUSED` says whether multiply-add is one instruction.
    #[inline(always)]
    pub(super) fn fill<const FUSED: bool>(&mut self, lanes: Source, scalars: Source) {
        self.lane_register = lanes.register;
        self.is_by_host = FUSED && is_moderate(lanes) && is_moderate(scalars);
        if self.is_by_host {
            self.lanes.fill(lanes, float_parts);
            self.scalars.fill(scalars, float_parts);
        } else {
            self.lanes.fill(lanes, integer_parts);
            self.scalars.fill(scalars, integer_parts);
        }
    }

    /// The exponents that products at `place` are aligned to.
    #[inline(always)]
    pub(super) fn tops<const LANES: usize>(&self, place: Place) -> Tops<LANES> {
        let lanes: [&[i32; LANES]; FACE_SIDE] = rows(&self.lanes.exponents, place);
        let scalars = columns(&self.scalars.exponents, place);
        let mut tops = [[0; LANES]; 2];
        for j in 0..LANES {
            let (mut first, mut second) = (NO_EXPONENT, NO_EXPONENT);
            for k in 0..GROUP {
                first = first.max(lanes[k][j] + scalars[k]);
                second = second.max(lanes[GROUP + k][j] + scalars[GROUP + k]);
            }
            tops[0][j] = first;
            tops[1][j] = second;
        }
        tops
    }

    /// Adds one phase's sum of 16 products to each lane of `dst`.
    #[inline(always)]
    pub(super) fn add<const WIDE: bool, const LANES: usize>(
        &self,
        place: Place,
        tops: &Tops<LANES>,
        phase: u32,
        dst: &mut [u32; LANES],
    ) {
        let (lane_part, scalar_part) = match self.lane_register {
            Register::SrcA => (phase & 1, phase >> 1),
            Register::SrcB => (phase >> 1, phase & 1),
        };
        let bias = 127 + if phase & 1 != 0 { 5 } else { 0 } + if phase & 2 != 0 { 7 } else { 0 };
        let lanes = rows::<u32, LANES>(&self.lanes.parts[lane_part as usize], place);
        let scalars = columns(&self.scalars.parts[scalar_part as usize], place);
        let faulty_sum = self.faulty_sum;
        // No closures here: only `#[inline(always)]` makes sure that these loops vectorise.
        if self.is_by_host {
            for j in 0..LANES {
                let (first, second) = (align_to(tops[0][j], bias), align_to(tops[1][j], bias));
                let sums = (
                    sum_by_host(0, j, &lanes, &scalars, first),
                    sum_by_host(GROUP, j, &lanes, &scalars, second),
                );
                let terms = (group_term(sums.0, first), group_term(sums.1, second));
                dst[j] = accumulate_pair::<WIDE>(terms.0, terms.1, dst[j], faulty_sum);
            }
        } else {
            let lane_exponents = rows::<i32, LANES>(&self.lanes.exponents, place);
            let exponents = (lane_exponents, columns(&self.scalars.exponents, place));
            for j in 0..LANES {
                let (first, second) = (align_to(tops[0][j], bias), align_to(tops[1][j], bias));
                let sums = (
                    sum_by_integers(0, j, &lanes, &scalars, first + bias, &exponents),
                    sum_by_integers(GROUP, j, &lanes, &scalars, second + bias, &exponents),
                );
                let terms = (group_term(sums.0, first), group_term(sums.1, second));
                dst[j] = accumulate_pair::<WIDE>(terms.0, terms.1, dst[j], faulty_sum);
            }
        }
    }
}

/// The exponent that a group of one phase is aligned to; 0 stands for all that are not positive.
#[inline(always)]
fn align_to(top: i32, bias: i32) -> i32 {
    (top - bias).max(0)
}

/// The 16 rows of the lanes' table at `place`.
#[inline(always)]
fn rows<T, const LANES: usize>(table: &Table<T>, place: Place) -> [&[T; LANES]; FACE_SIDE] {
    // A loop, because the closure of `from_fn` is not always inlined.
    let row = |k: usize| table[place.lane_row + k][place.first_lane..].first_chunk();
    let mut rows = [row(0).expect("lanes lie within the table"); FACE_SIDE];
    for (k, out) in rows.iter_mut().enumerate() {
        *out = row(k).expect("lanes lie within the table");
    }
    rows
}

/// The 16 values of the scalars' table at `place`.
#[inline(always)]
fn columns<T: Copy>(table: &Table<T>, place: Place) -> [T; FACE_SIDE] {
    let row = &table[place.scalar_row][place.scalar_column..];
    *row.first_chunk().expect("scalars lie within the table")
}

/// A group whose largest exponent is not positive counts as zero.
#[inline(always)]
fn group_term(sum: i32, top: i32) -> Term {
    Term { m: if top <= 0 { 0 } else { sum << 13 }, e: top }
}

/// The sum of a group's products, aligned to the sum of exponent fields `top` and rounded, halves
/// up in magnitude.
#[inline(always)]
fn sum_by_integers<const LANES: usize>(
    start: usize,
    j: usize,
    lanes: &[&[u32; LANES]; FACE_SIDE],
    scalars: &[u32; FACE_SIDE],
    top: i32,
    exponents: &([&[i32; LANES]; FACE_SIDE], [i32; FACE_SIDE]),
) -> i32 {
    let mut sum = 0;
    for k in start..start + GROUP {
        let product = lanes[k][j] as i32 * scalars[k] as i32;
        let e = exponents.0[k][j] + exponents.1[k];
        // Products have 12 bits, so that 13 places and more leave nothing.
        let n = (top - e).min(30) as u32;
        let sign = product >> 31;
        let rounded = (2 * product.abs() + (1 << n)) >> (n + 1);
        sum += (rounded ^ sign) - sign;
    }
    sum
}

/// As [`sum_by_integers`] with the host's fused multiply-add, one per product.
///
/// Why that is exact: a product of parts is m * 2^(e - 137) with m below 2^12, and the group
/// needs the sum of m * 2^(e - G) rounded to integers, halves up in magnitude. The running sum
/// starts at C = 1.5 * 2^23 * 2^(G - 137), whose last place is the unit 2^(G - 137) and stays so,
/// the sum of eight products being below 2^15 units. A fused multiply-add of an exact product
/// then rounds that product to units, as the running sum is a whole number of them. Halves are
/// decided by enlarging SrcA's part by a factor of 1 + 2^-16: m * 2^-16 is below 1/16, less than
/// the distance of any other value to a half, so that only halves change, and go up in
/// magnitude. The part has 5 bits, enlarged 21, so it is exact. The integer difference of the
/// running sum's bits and C's is the group's sum. Exponent fields of 16 and above keep all
/// parts normal, those up to 183 keep C finite (183 + 183 - 127 + 13 < 255).
#[inline(always)]
fn sum_by_host<const LANES: usize>(
    start: usize,
    j: usize,
    lanes: &[&[u32; LANES]; FACE_SIDE],
    scalars: &[u32; FACE_SIDE],
    top: i32,
) -> i32 {
    let base = ((top + 13) as u32) << 23 | 0x40_0000;
    let mut sum = f32::from_bits(base);
    for k in start..start + GROUP {
        sum = f32::from_bits(lanes[k][j]).mul_add(f32::from_bits(scalars[k]), sum);
    }
    sum.to_bits() as i32 - base as i32
}

/// Whether every value is zero or has an exponent in [`MODERATE`].
#[inline(always)]
fn is_moderate(source: Source) -> bool {
    let mut doubt = 0;
    for &value in source.rows[..source.used].as_flattened() {
        let e = exponent(value);
        doubt |= u32::from((e != 0) & !MODERATE.contains(&e));
    }
    doubt == 0
}

impl Split {
    const EMPTY: Split = Split {
        exponents: [[0; TILE_SIDE]; TILE_SIDE],
        bytes: [[0; TILE_SIDE]; TILE_SIDE],
        parts: [[[0; TILE_SIDE]; TILE_SIDE]; 2],
    };

    /// Splits every value with `parts`, which returns the upper and the lower part.
    #[inline(always)]
    fn fill(&mut self, source: Source, parts: impl Fn(Register, u32) -> (u32, u32)) {
        for row in 0..source.used {
            for column in 0..TILE_SIDE {
                let value = flush(source.rows[row][column] & source.mask);
                let e = exponent(value) as i32;
                self.exponents[row][column] = if e == 0 { NO_EXPONENT } else { e };
                let (high, low) = parts(source.register, value);
                self.parts[0][row][column] = high;
                self.parts[1][row][column] = low;
            }
        }
    }
}

/// Parts as integers with the value's sign: 5 bits of SrcA, 7 of SrcB.
#[inline(always)]
fn integer_parts(register: Register, value: u32) -> (u32, u32) {
    let m = (significand(value) >> 13) as i32;
    let sign = (value as i32) >> 31;
    let (high, low) = match register {
        Register::SrcA => (m >> 6, (m >> 1) & 31),
        Register::SrcB => (m >> 4, (m & 15) << 3),
    };
    (((high ^ sign) - sign) as u32, ((low ^ sign) - sign) as u32)
}

/// Parts as floats; SrcA's enlarged.
#[inline(always)]
fn float_parts(register: Register, value: u32) -> (u32, u32) {
    let scale = register.float_parts().scale;
    let [high, low] = register.split(value);
    ((high * scale).to_bits(), (low * scale).to_bits())
}

/// How a register's values are split into floats.
pub(super) struct FloatParts {
    /// The bits of the upper part.
    pub(super) high_mask: u32,
    /// The bits of both parts.
    pub(super) used_mask: u32,
    /// What they are enlarged by.
    pub(super) scale: f32,
}

impl Register {
    #[inline(always)]
    pub(super) fn float_parts(self) -> FloatParts {
        let (high_mask, used_mask, scale) = match self {
            Register::SrcA => (0xfff8_0000, 0xffff_c000, ENLARGE),
            Register::SrcB => (0xfffe_0000, 0xffff_e000, 1.0),
        };
        FloatParts { high_mask, used_mask, scale }
    }

    /// The upper and the lower part of a value, as floats of their true weight.
    #[inline(always)]
    pub(super) fn split(self, value: u32) -> [f32; 2] {
        let FloatParts { high_mask, used_mask, .. } = self.float_parts();
        let high = f32::from_bits(value & high_mask);
        [high, f32::from_bits(value & used_mask) - high]
    }
}
