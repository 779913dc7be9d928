//! Sums and products of Float16 sources with a 16-bit Dst, which then holds fp16.
//!
//! Numerics specification 2, section 5: the steps of the other formats, with a bias of 15, eleven
//! bits in the result, and a largest value instead of infinity. One value after another: kernels
//! that do this are few.

use super::{Elementwise, ElementwiseOp, ReduceDim};
use crate::bits::{SIGN, exponent};
use crate::tilize::broadcast_tile;
use crate::{Broadcast, FACE_SIDE, FACE_VALUES, Lanes, TILE_SIDE, TILE_VALUES, index};

/// What the exponent fields of two factors exceed that of their product by.
const BIAS: i32 = 15;
/// The bits of a source below its ten mantissa bits.
const BELOW: u32 = 13;
const LARGEST: u32 = 0x7fff_0000;

/// Applies `op` to whole tiles.
pub(super) fn elementwise(op: &ElementwiseOp, a: &Lanes, b: &Lanes, dst: &mut Lanes) {
    let mut whole = [0; TILE_VALUES];
    let b = match op.broadcast {
        Broadcast::None => b,
        Broadcast::Column | Broadcast::Row | Broadcast::Scalar => {
            broadcast_tile(op.broadcast, b, &mut whole);
            &whole
        }
    };
    for (place, old) in dst.iter_mut().enumerate() {
        let (a, b) = (a[place], b[place]);
        let kept = if op.accumulate { *old } else { 0 };
        *old = match op.op {
            Elementwise::Add => accumulate(&[sum(a, b)], kept),
            Elementwise::Sub => accumulate(&[sum(a, b ^ SIGN)], kept),
            Elementwise::Mul => (0..op.fidelity.phases()).fold(*old, |old, phase| {
                let Term { m, e } = product(a, b, phase);
                let term = if e <= 0 { Term::NONE } else { Term { m: m << BELOW, e } };
                accumulate(&[term], old)
            }),
        };
    }
}

/// One K tile of a matrix product, with in0 in SrcB and in1 in SrcA.
pub(super) fn matmul(phases: u32, in0: &Lanes, in1: &Lanes, transpose: bool, dst: &mut Lanes) {
    let second = |k: usize, column: usize| {
        if transpose { in1[index(column, k)] } else { in1[index(k, column)] }
    };
    for phase in 0..phases {
        for first in [0, FACE_SIDE] {
            for place in 0..TILE_VALUES {
                let (row, column) = (place / TILE_SIDE, place % TILE_SIDE);
                let pairs = |k: usize| (second(first + k, column), in0[index(row, first + k)]);
                let value = &mut dst[index(row, column)];
                *value = dot(pairs, phase, *value);
            }
        }
    }
}

/// Sums of rows, columns or the whole tile, into the places that a reduction keeps.
pub(super) fn reduce(dim: ReduceDim, phases: u32, data: &Lanes, scaler: &Lanes, dst: &mut Lanes) {
    let scale = |face: usize, k: usize| scaler[face * FACE_VALUES + k];
    let column = |face: usize, at: usize, k: usize| data[face * FACE_VALUES + k * FACE_SIDE + at];
    let add = |face: usize, at: usize, old: u32| {
        (0..phases)
            .fold(old, |old, phase| dot(|k| (column(face, at, k), scale(face, k)), phase, old))
    };
    match dim {
        ReduceDim::Row => {
            for phase in 0..phases {
                for half in 0..2 {
                    for row in 0..TILE_SIDE {
                        let pairs = |k| (scale(half, k), data[index(row, half * FACE_SIDE + k)]);
                        let value = &mut dst[index(row, 0)];
                        *value = dot(pairs, phase, *value);
                    }
                }
            }
        }
        ReduceDim::Column => {
            for face in 0..4 {
                for at in 0..FACE_SIDE {
                    let value = &mut dst[index(0, face % 2 * FACE_SIDE + at)];
                    *value = add(face, at, *value);
                }
            }
        }
        ReduceDim::Scalar => {
            let sums: [u32; FACE_SIDE] =
                std::array::from_fn(|at| source((0..4).fold(0, |old, face| add(face, at, old))));
            dst[0] =
                (0..phases).fold(dst[0], |old, phase| dot(|k| (sums[k], scale(3, k)), phase, old));
        }
    }
}

/// A term on its way to Dst: `m` units of the last place of a significand of 24 bits.
#[derive(Clone, Copy)]
struct Term {
    m: i64,
    e: i32,
}

impl Term {
    const NONE: Term = Term { m: 0, e: 0 };
}

/// Eleven bits of a source, with the hidden one.
fn significand(value: u32) -> i64 {
    if exponent(value) == 0 { 0 } else { i64::from(value >> BELOW & 0x3ff | 0x400) }
}

fn signed(magnitude: i64, sign: u32) -> i64 {
    if sign & SIGN == 0 { magnitude } else { -magnitude }
}

/// ELWADD of two sources: eleven bits at the larger exponent.
fn sum(a: u32, b: u32) -> Term {
    let of = |value: u32| if exponent(value) == 0 { 0 } else { value };
    let (a, b) = (of(a), of(b));
    let (a, b) = if a & !SIGN < b & !SIGN { (b, a) } else { (a, b) };
    let apart = exponent(a) - exponent(b);
    let smaller = if apart < 12 { rounded(significand(b), apart) } else { 0 };
    let m = significand(a) + signed(smaller, a ^ b);
    Term { m: signed(m << BELOW, a), e: exponent(a) as i32 }
}

/// A magnitude shifted to the right, halves up.
fn rounded(m: i64, n: u32) -> i64 {
    (m + ((1 << n) >> 1)) >> n
}

/// One phase of a product of two sources, in units of its own.
fn product(a: u32, b: u32, phase: u32) -> Term {
    if exponent(a) == 0 || exponent(b) == 0 {
        return Term::NONE;
    }
    let (ma, mb) = (significand(a), significand(b));
    let (low_a, low_b) = (phase & 1 != 0, phase & 2 != 0);
    let fa = if low_a { ma >> 1 & 31 } else { ma >> 6 };
    let fb = if low_b { (mb & 15) << 3 } else { mb >> 4 };
    let less = 5 * i32::from(low_a) + 7 * i32::from(low_b);
    let e = (exponent(a) + exponent(b)) as i32 - BIAS - less;
    Term { m: signed(fa * fb, a ^ b), e }
}

/// DOT16: two groups of eight products, each aligned to its largest, meet in Dst.
fn dot(pairs: impl Fn(usize) -> (u32, u32), phase: u32, old: u32) -> u32 {
    let group = |first: usize| {
        let products: [Term; 8] = std::array::from_fn(|k| {
            let (a, b) = pairs(first + k);
            product(a, b, phase)
        });
        let top = products.iter().map(|product| product.e).max().unwrap_or(0);
        if top <= 0 {
            return Term::NONE;
        }
        let aligned = |product: &Term| {
            let n = (top - product.e).min(30) as u32;
            let magnitude = (2 * product.m.abs() + (1 << n)) >> (n + 1);
            if product.m < 0 { -magnitude } else { magnitude }
        };
        Term { m: products.iter().map(aligned).sum::<i64>() << BELOW, e: top }
    };
    accumulate(&[group(0), group(8)], old)
}

/// Adds terms to a value of Dst.
fn accumulate(terms: &[Term], old: u32) -> u32 {
    let old = source(old);
    let (old_e, old_m) = (exponent(old) as i32, significand(old) << BELOW);
    let top = terms.iter().map(|term| term.e).fold(old_e, i32::max);
    if top <= 0 {
        return 0;
    }
    // To a multiple of 2^13 units: halves of terms go up, those of Dst away from zero.
    let narrowed = |m: i64| (m + 0x1000) >> BELOW << BELOW;
    let aligned = |term: &Term| {
        let n = top - term.e;
        narrowed(if n < 31 { rounded(term.m, n as u32) } else { 0 })
    };
    let n = top - old_e;
    let kept = narrowed(if n < 31 { rounded(old_m, n as u32) } else { 0 });
    normalised(terms.iter().map(aligned).sum::<i64>() + signed(kept, old), top)
}

/// Eleven bits, halves away from zero.
fn normalised(sum: i64, top: i32) -> u32 {
    if sum == 0 {
        return 0;
    }
    let sign = if sum < 0 { SIGN } else { 0 };
    let magnitude = sum.unsigned_abs();
    let leading = 63 - magnitude.leading_zeros() as i32;
    let below = leading - 10;
    let m = match below > 0 {
        true => (magnitude + (1 << (below - 1))) >> below,
        false => magnitude << -below,
    };
    let e = top + leading - 23 + (m >> 11) as i32;
    match e {
        ..=0 => 0,
        1..32 => sign | (e as u32) << 26 | (m as u32 & 0x3ff) << 16,
        32.. => sign | LARGEST,
    }
}

/// A value of Dst as a source register holds it.
fn source(value: u32) -> u32 {
    let fields = value >> 16;
    let e = fields >> 10 & 31;
    if e == 0 { 0 } else { value & SIGN | e << 23 | (fields & 0x3ff) << BELOW }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// fp16 1.5 as a source and as Dst holds it.
    const SOURCE: u32 = 15 << 23 | 0x40_0000;
    const DST: u32 = 0x3e00_0000;

    #[test]
    fn a_product_and_a_sum_have_eleven_bits() {
        assert_eq!(source(DST), SOURCE);
        assert_eq!(accumulate(&[sum(SOURCE, SOURCE)], 0), 0x4200_0000, "3.0");
        let Term { m, e } = product(SOURCE, SOURCE, 0);
        assert_eq!(accumulate(&[Term { m: m << BELOW, e }], 0), 0x4080_0000, "2.25");
    }

    #[test]
    fn what_is_too_large_becomes_the_largest_pattern() {
        let huge = 30 << 23;
        assert_eq!(accumulate(&[sum(huge, huge)], 0), 0x7c00_0000);
        let above = 31 << 23;
        assert_eq!(accumulate(&[sum(above | SIGN, above | SIGN)], 0), SIGN | LARGEST);
    }
}
