//! DOT16: sums of 16 products, the heart of matrix products and sum reductions.
//!
//! Vectorised over outputs: one operand has a value per output and k ("lanes"), the other a value
//! per k ("scalars"). Either may be SrcA; the two differ in how a fidelity phase splits them.

use super::accumulate::{Term, accumulate_pair};
use crate::bits::{exponent, flush, significand};
use crate::{FACE_SIDE, TILE_SIDE};

/// Which source register an operand sits in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Register {
    SrcA,
    SrcB,
}

/// A 32x32 table of some field of an operand.
type Table<T> = [[T; TILE_SIDE]; TILE_SIDE];

/// An operand split into exponent and the signed parts of its significand.
#[derive(Clone)]
pub(super) struct Split {
    /// Exponent fields; far below any other for zeros.
    exponents: Table<i32>,
    /// Upper and lower parts with the value's sign, as integers.
    parts: [Table<i32>; 2],
    /// The same parts as floats of their true weight; SrcA's slightly enlarged.
    floats: [Table<f32>; 2],
    /// Whether `floats` may be used.
    is_moderate: bool,
}

/// Stands for the exponent of zero: sums with it stay below every real one.
const NO_EXPONENT: i32 = -1000;

/// Exponent fields for which the float path is proven, see [`dot_by_host`].
const MODERATE: std::ops::RangeInclusive<u32> = 16..=183;

impl Split {
    pub(super) const ZERO: Split = Split {
        exponents: [[NO_EXPONENT; TILE_SIDE]; TILE_SIDE],
        parts: [[[0; TILE_SIDE]; TILE_SIDE]; 2],
        floats: [[[0.0; TILE_SIDE]; TILE_SIDE]; 2],
        is_moderate: true,
    };

    /// Splits `rows` of values. Must be inlined into a kernel.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        register: Register,
        mask: u32,
        rows: &[[u32; TILE_SIDE]; TILE_SIDE],
    ) {
        let mut is_moderate = true;
        for (row, values) in rows.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                let value = flush(value & mask);
                let e = exponent(value);
                let sign = (value as i32) >> 31;
                let m = (significand(value) >> 13) as i32;
                let (high, low, high_mask, used_mask) = match register {
                    Register::SrcA => (m >> 6, (m >> 1) & 31, 0xfff8_0000, 0xffff_c000),
                    Register::SrcB => (m >> 4, (m & 15) << 3, 0xfffe_0000, 0xffff_e000),
                };
                self.exponents[row][column] = if e == 0 { NO_EXPONENT } else { e as i32 };
                self.parts[0][row][column] = (high ^ sign) - sign;
                self.parts[1][row][column] = (low ^ sign) - sign;
                let high = f32::from_bits(value & high_mask);
                let low = f32::from_bits(value & used_mask) - high;
                let scale = if register == Register::SrcA { ENLARGE } else { 1.0 };
                self.floats[0][row][column] = high * scale;
                self.floats[1][row][column] = low * scale;
                is_moderate &= (e == 0) | MODERATE.contains(&e);
            }
        }
        self.is_moderate = is_moderate;
    }
}

/// 1 + 2^-16.
const ENLARGE: f32 = 1.0 + 1.0 / 65536.0;

/// Where in its operands a [`dot`] finds its 16 products.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// First row of the lanes' table; lane `j` is its column `first_lane + j`.
    pub(super) lane_row: usize,
    pub(super) first_lane: usize,
    /// Row and first column of the scalars' table.
    pub(super) scalar_row: usize,
    pub(super) scalar_column: usize,
}

/// Adds one DOT16 per lane and phase to `dst`, in the order of `phases`.
#[inline(always)]
pub(super) fn dot<const FUSED: bool, const WIDE: bool, const LANES: usize>(
    lanes: &Split,
    lane_register: Register,
    scalars: &Split,
    place: Place,
    phase: u32,
    dst: &mut [u32; LANES],
) {
    let (lane_bit, scalar_bit) = match lane_register {
        Register::SrcA => (phase & 1, phase >> 1),
        Register::SrcB => (phase >> 1, phase & 1),
    };
    let bias = 127 + if phase & 1 != 0 { 5 } else { 0 } + if phase & 2 != 0 { 7 } else { 0 };
    let k = place.scalar_column..place.scalar_column + FACE_SIDE;
    let step = Step {
        lane_exponents: &lanes.exponents[place.lane_row..][..FACE_SIDE],
        lane_parts: &lanes.parts[lane_bit as usize][place.lane_row..][..FACE_SIDE],
        lane_floats: &lanes.floats[lane_bit as usize][place.lane_row..][..FACE_SIDE],
        first_lane: place.first_lane,
        scalar_exponents: &scalars.exponents[place.scalar_row][k.clone()],
        scalar_parts: &scalars.parts[scalar_bit as usize][place.scalar_row][k.clone()],
        scalar_floats: &scalars.floats[scalar_bit as usize][place.scalar_row][k],
        bias,
    };
    if FUSED && lanes.is_moderate && scalars.is_moderate {
        dot_by_host::<WIDE, LANES>(&step, dst);
    } else {
        dot_by_integers::<WIDE, LANES>(&step, dst);
    }
}

/// The tables of one DOT16 per lane, cut down to its 16 values of k.
struct Step<'a> {
    lane_exponents: &'a [[i32; TILE_SIDE]],
    lane_parts: &'a [[i32; TILE_SIDE]],
    lane_floats: &'a [[f32; TILE_SIDE]],
    first_lane: usize,
    scalar_exponents: &'a [i32],
    scalar_parts: &'a [i32],
    scalar_floats: &'a [f32],
    /// What is subtracted from the sum of two exponent fields.
    bias: i32,
}

/// Products that are aligned to the largest of them, without guard bits.
const GROUP: usize = 8;

#[inline(always)]
fn dot_by_integers<const WIDE: bool, const LANES: usize>(step: &Step, dst: &mut [u32; LANES]) {
    for (j, dst) in dst.iter_mut().enumerate() {
        let first = group_by_integers(step, 0, step.first_lane + j);
        let second = group_by_integers(step, GROUP, step.first_lane + j);
        *dst = accumulate_pair::<WIDE>(first, second, *dst);
    }
}

#[inline(always)]
fn group_by_integers(step: &Step, start: usize, lane: usize) -> Term {
    let top = group_exponent(step, start, lane);
    let mut sum = 0;
    for k in start..start + GROUP {
        let product = step.lane_parts[k][lane] * step.scalar_parts[k];
        let e = step.lane_exponents[k][lane] + step.scalar_exponents[k] - step.bias;
        // Products have 12 bits, so that 13 places and more leave nothing.
        let n = (top - e).min(30) as u32;
        let sign = product >> 31;
        let rounded = (2 * product.abs() + (1 << n)) >> (n + 1);
        sum += (rounded ^ sign) - sign;
    }
    finish_group(sum, top)
}

#[inline(always)]
fn group_exponent(step: &Step, start: usize, lane: usize) -> i32 {
    let mut top = 0;
    for k in start..start + GROUP {
        top = top.max(step.lane_exponents[k][lane] + step.scalar_exponents[k] - step.bias);
    }
    top
}

/// A group whose largest exponent is not positive counts as zero.
#[inline(always)]
fn finish_group(sum: i32, top: i32) -> Term {
    Term { m: if top <= 0 { 0 } else { sum << 13 }, e: top }
}

/// DOT16 with the host's fused multiply-add, one per product.
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
fn dot_by_host<const WIDE: bool, const LANES: usize>(step: &Step, dst: &mut [u32; LANES]) {
    for (j, dst) in dst.iter_mut().enumerate() {
        let first = group_by_host(step, 0, step.first_lane + j);
        let second = group_by_host(step, GROUP, step.first_lane + j);
        *dst = accumulate_pair::<WIDE>(first, second, *dst);
    }
}

#[inline(always)]
fn group_by_host(step: &Step, start: usize, lane: usize) -> Term {
    let top = group_exponent(step, start, lane);
    let base = ((top + 13) as u32) << 23 | 0x40_0000;
    let mut sum = f32::from_bits(base);
    for k in start..start + GROUP {
        sum = step.lane_floats[k][lane].mul_add(step.scalar_floats[k], sum);
    }
    finish_group(sum.to_bits() as i32 - base as i32, top)
}
