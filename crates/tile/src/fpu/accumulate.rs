//! The adder in front of Dst: up to two product terms and the old Dst value, aligned, summed
//! exactly, rounded once.
//!
//! Inf and NaN are not special here: exponent 255 is a large exponent. Denormals are zero.

use crate::bits::{INFINITY, MANTISSA, SIGN, exponent, significand};

/// A product or sum on its way to Dst: `m * 2^(e - 150)` with |m| below 2^28.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub(super) m: i32,
    pub(super) e: i32,
}

/// Adds one term to Dst. `WIDE` is a 32-bit Dst, `faulty_sum` the chip's.
#[inline(always)]
pub(super) fn accumulate<const WIDE: bool>(term: Term, dst: u32, faulty_sum: i32) -> u32 {
    let dst_exponent = exponent(dst) as i32;
    let top = term.e.max(dst_exponent);
    let sum = align_dst::<WIDE>(dst, top - dst_exponent) + align::<WIDE>(term, top);
    normalise::<WIDE>(sum, top, faulty_sum)
}

/// Adds two terms to Dst at once.
#[inline(always)]
pub(super) fn accumulate_pair<const WIDE: bool>(
    first: Term,
    second: Term,
    dst: u32,
    faulty_sum: i32,
) -> u32 {
    let dst_exponent = exponent(dst) as i32;
    let top = first.e.max(second.e).max(dst_exponent);
    let sum = align_dst::<WIDE>(dst, top - dst_exponent)
        + align::<WIDE>(first, top)
        + align::<WIDE>(second, top);
    normalise::<WIDE>(sum, top, faulty_sum)
}

/// Rounds to units of 2^(top - 150), halves up towards +inf; for a 16-bit Dst to 2^13 of them.
///
/// The hardware rounds halves up in magnitude for positive terms and down for negative ones,
/// which is what an arithmetic shift of the signed value does.
#[inline(always)]
fn align<const WIDE: bool>(term: Term, top: i32) -> i32 {
    // From 30 on every |m| below 2^28 rounds to 0.
    let n = (top - term.e).min(30) as u32;
    let m = (term.m + ((1 << n) >> 1)) >> n;
    if WIDE { m } else { (m + 0x1000) & !0x1fff }
}

/// As [`align`] for the old value, but halves go up in magnitude whatever the sign.
#[inline(always)]
fn align_dst<const WIDE: bool>(dst: u32, n: i32) -> i32 {
    let n = n.min(30) as u32;
    let m = (significand(dst) as i32 + ((1 << n) >> 1)) >> n;
    let m = if WIDE { m } else { (m + 0x1000) & !0x1fff };
    let mask = (dst as i32) >> 31;
    (m ^ mask) - mask
}

/// Normalises a sum in units of 2^(top - 150) and rounds it, halves away from zero.
#[inline(always)]
fn normalise<const WIDE: bool>(sum: i32, top: i32, faulty_sum: i32) -> u32 {
    let sign = sum as u32 & SIGN;
    let m = sum.unsigned_abs();
    // A float of the host rounds to 24 bits, halves to even: with one more bit a half is none, and
    // a sum of 24 bits or fewer needs none. The few bits that a 16-bit Dst is given are exact.
    let bits = if WIDE {
        ((2 * m + (m >> 24).min(1)) as i32 as f32).to_bits().wrapping_sub(1 << 23)
    } else {
        ((m as i32 as f32).to_bits() + 0x8000) & 0xffff_0000
    };
    let e = top - 150 + (bits >> 23) as i32;
    // A known fault of Wormhole: a sum of exactly -1 unit is renormalised the wrong way.
    let e = if WIDE & (sum == faulty_sum) { top + 4 } else { e };

    let finite = sign | (e as u32) << 23 | bits & MANTISSA;
    let bounded = if e >= 255 { sign | INFINITY } else { finite };
    if (sum == 0) | (e <= 0) { 0 } else { bounded }
}

/// An exact 12-bit sum `m * 2^(e - 137)` that overwrites Dst.
///
/// The same as accumulating to zero: nothing is aligned, the sum is a multiple of 2^13 units so
/// that only a 16-bit Dst rounds, and conversion to f32 is exact.
#[inline(always)]
pub(super) fn overwrite<const WIDE: bool>(m: i32, e: i32) -> u32 {
    let bits = (m as f32).to_bits();
    let bits = if WIDE { bits } else { (bits + 0x8000) & 0xffff_0000 };
    let e = exponent(bits) as i32 + e - 137;
    let finite = bits & !INFINITY | ((e as u32) << 23) & INFINITY;
    let bounded = if e >= 255 { bits & SIGN | INFINITY } else { finite };
    if (m == 0) | (e <= 0) { 0 } else { bounded }
}
