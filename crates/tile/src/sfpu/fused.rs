//! Multiply-adds of many lanes by the host's own instruction, where `lane::multiply_add` does more
//! or less than round the exact sum.
//!
//! Words: `top` is 2 to the larger exponent of product and addend, a unit is 2^-26 of it: 1/8 of
//! the last place there. The SFPU sums two integers of units. An addend that is none becomes the
//! odd one of its neighbours ("made odd"), unless it is the smaller one and less than a unit, when
//! it is dropped. Making odd twice is the same as once, and making odd commutes with adding an even
//! number of units. The product is below 4 of its power of two, the addend below 2 of its own.
//!
//! Operands must be zero, infinite or normal, and infinite ones show in what is looked at. What is
//! doubtful is said, and computed elsewhere.

use std::ops::Range;

use super::host::zero_of;
use crate::bits::{HIDDEN, INFINITY, SIGN};
use crate::chip::Arithmetic;

/// The least magnitude at which sums are computed here, 2^-60: nothing beside it underflows.
const LOW: u32 = 67 << 23;
/// What magnitudes are below, 2^60.
const HIGH: u32 = 187 << 23;

/// A unit of 1.0.
const UNIT: f32 = 1.0 / (1 << 26) as f32;
/// What makes a multiple of two units of 1.0 of a sum: its last place is that.
const TO_EVEN: f32 = 1.5 / 4.0;

/// Addends of multiply-adds.
pub(super) trait Addends: Copy {
    /// That of a lane.
    fn at(self, lane: usize) -> u32;
}

/// An addend for each lane.
#[derive(Clone, Copy)]
pub(super) struct Each<'a, const N: usize>(pub(super) &'a [u32; N]);

/// The same addend for all lanes.
#[derive(Clone, Copy)]
pub(super) struct Same(pub(super) u32);

impl<const N: usize> Addends for Each<'_, N> {
    #[inline(always)]
    fn at(self, lane: usize) -> u32 {
        self.0[lane]
    }
}

impl Addends for Same {
    #[inline(always)]
    fn at(self, _: usize) -> u32 {
        self.0
    }
}

/// Sums beside whose addends the products are small, as most steps of a polynomial are. Says
/// whether all are right; needs no normal addends.
///
/// Why the host may do it: the product is less than twice the addend's power of two, so that this
/// is `top` and the addend a multiple of eight units. So the unit's sum is the exact one made odd,
/// of less than 2^28 units. If its leading one is at bit 25 or above, rounding is decided at even
/// numbers, which the odd one is on the right side of. A product that is dropped is less than a
/// unit, or below the normal range, and rounds away.
#[inline(always)]
pub(super) fn beside<const N: usize>(
    [x, y]: [&[u32; N]; 2],
    z: impl Addends,
    out: &mut [u32; N],
) -> bool {
    // Differences of patterns without signs are at home in signed integers.
    let (mut most, mut least) = (i32::MIN, i32::MAX);
    let (mut largest, mut smallest) = (0, i32::MAX);
    for i in 0..N {
        let (x, y, z) = (float(x[i]), float(y[i]), z.at(i));
        let top = (z & INFINITY) as i32;
        let sum = x.mul_add(y, float(z)).to_bits();
        let magnitude = (sum & !SIGN) as i32;
        most = most.max(((x * y).to_bits() & !SIGN) as i32 - top);
        least = least.min(magnitude - top);
        (largest, smallest) = (largest.max(magnitude), smallest.min(magnitude));
        out[i] = sum;
    }
    let is_beside = (most < HIDDEN as i32) & (least > -(HIDDEN as i32));
    is_beside & (smallest >= LOW as i32) & (largest < HIGH as i32)
}

/// A value of less than 2^23 units, from which a unit can be taken exactly, made odd.
///
/// The nearest odd multiple is what one less a unit as a multiple of two units is, and a unit; an
/// even multiple stays, and is told by its distance of one unit.
#[inline(always)]
fn made_odd(value: f32, top: f32) -> f32 {
    let less = top.mul_add(-UNIT, value);
    let even = (less + top * TO_EVEN) - top * TO_EVEN;
    let is_even = (less - even).to_bits() & !SIGN == (top * UNIT).to_bits();
    if is_even { value } else { top.mul_add(UNIT, even) }
}

/// Sums that may nearly cancel, of products that are less than twice the power of two of their one
/// addend. Says whether all are right.
///
/// As in [`beside`], but where the leading one is below bit 25. There the product is within a
/// factor of two of the addend, and as the host rounds it, their sum is exact: a multiple of two
/// units of at most 2^24 times that. What the host has rounded away, made odd, is the rest of the
/// unit's sum, and the host adds both with one rounding. It is a multiple of 2^-22 units and less
/// than three of them if the product's power of two is the fourth part of the addend's; of 2^-21
/// and five, or 2^-20 and nine, if it is nearer. A sum of 2^25 units after rounding is the same
/// both ways.
#[inline(always)]
pub(super) fn toward<const N: usize>([x, y]: [&[u32; N]; 2], z: u32, out: &mut [u32; N]) -> bool {
    let top = z & INFINITY;
    let (mut most, half) = (0, top as i32 - HIDDEN as i32);
    for i in 0..N {
        let (x, y, z) = (f32::from_bits(x[i]), f32::from_bits(y[i]), f32::from_bits(z));
        let product = x * y;
        let rest = made_odd(x.mul_add(y, -product), f32::from_bits(top));
        let (sum, apart) = (x.mul_add(y, z).to_bits(), ((product + z) + rest).to_bits());
        let magnitude = (sum & !SIGN) as i32;
        most = most.max((product.to_bits() & !SIGN) as i32);
        // A sum of nothing is +0 both ways.
        out[i] = if magnitude < half { apart } else { sum };
    }
    (LOW..HIGH).contains(&top) && most < (top + HIDDEN) as i32
}

/// A sum of any addends, and whether it is doubtful. Those that are less than an eighth of the
/// product's power of two are only looked at if `FAR`.
///
/// Up to there the addend is an even number of units, at its power of two or twice or four times
/// that as `top`, and what was said of [`toward`] holds. Beyond, sums do not cancel. Both are made
/// odd: the product as what the host rounds it to, a multiple of eight units, and the rest. That
/// and the addend are multiples of a unit, their sum is exact up to 2^24 units, and the host adds
/// it to the rounded product with one rounding. An addend less than a unit is dropped. From 2^28
/// units on two bits of the sum are dropped, and only the lower is remembered: it has to be set.
#[inline(always)]
fn any<A: Arithmetic, const FAR: bool>(x: u32, y: u32, z: u32, seen: &mut Tops) -> (u32, bool) {
    // Without the sign that a NaN may have: it shows as an infinite top.
    let of_product = (float(x & INFINITY) * float(y & INFINITY)).to_bits() & INFINITY;
    let of_addend = z & INFINITY;
    let top = of_product.max(of_addend);
    seen.see(top, (x & INFINITY).min(y & INFINITY));
    let product = float(x) * float(y);
    let lost = float(x).mul_add(float(y), -product);
    let rest = made_odd(lost, float(top));
    let sum = float(x).mul_add(float(y), float(z));
    let magnitude = (sum.to_bits() & !SIGN) as i32;
    // A sum of nothing is the same both ways.
    let is_cancelled = magnitude < top as i32 - PLACE;
    let near = if is_cancelled { (product + float(z)) + rest } else { sum };

    let places = of_product as i32 - of_addend as i32;
    let is_far = places >= 3 * PLACE;
    let (far, is_inexact) = if FAR {
        let small = made_odd(float(z & !SIGN), float(top));
        // At an eighth all are units.
        let small = if places == 3 * PLACE { z & !SIGN } else { small.to_bits() };
        let small = if places >= 27 * PLACE { 0 } else { small };
        let rest = rest + float(small | z & SIGN);
        (product + rest, (rest.to_bits() & !SIGN) as i32 > top as i32 - 2 * PLACE)
    } else {
        (near, true)
    };
    let result = if is_far { far } else { near };
    let is_odd = !is_far & (rest.to_bits() != lost.to_bits());
    let is_dropped = (magnitude - top as i32 >= 2 * PLACE) & !is_odd;
    (zero_of::<A>(result), (is_far & is_inexact) | is_dropped)
}

/// One in the exponent of a pattern.
const PLACE: i32 = HIDDEN as i32;

/// The powers of two that some sums had.
struct Tops {
    /// The least one less 1: so that zero is the largest of all.
    least: u32,
    most: i32,
}

impl Tops {
    const NOTHING: Tops = Tops { least: u32::MAX, most: 0 };

    /// Zero only if the smaller factor is, too: a product may be too small to have a power of two.
    #[inline(always)]
    fn see(&mut self, top: u32, factor: u32) {
        self.least = self.least.min((top | factor >> 8).wrapping_sub(1));
        self.most = self.most.max(top as i32);
    }

    #[inline(always)]
    fn are_within(&self, range: Range<u32>) -> bool {
        (self.least >= range.start - 1) & (self.most < range.end as i32)
    }
}

/// [`any`] of many lanes. Says whether all are right.
#[inline(always)]
fn all<A: Arithmetic, const FAR: bool, const N: usize>(
    [x, y, z]: [&[u32; N]; 3],
    out: &mut [u32; N],
) -> bool {
    let (mut doubts, mut seen) = (0, Tops::NOTHING);
    for i in 0..N {
        let (sum, is_doubtful) = any::<A, FAR>(x[i], y[i], z[i], &mut seen);
        out[i] = sum;
        doubts |= u32::from(is_doubtful);
    }
    (doubts == 0) & seen.are_within(LOW..HIGH)
}

/// Sums of any addends in double precision. Says whether all are right: those are whose powers of
/// two are neither very small nor very large.
///
/// As integers of units, what [`any`] says of them: the exact product and the addend are made odd,
/// or dropped if they are less than a unit, their sum is exact, and it is rounded once.
#[inline(always)]
fn wide<A: Arithmetic, const N: usize>([x, y, z]: [&[u32; N]; 3], out: &mut [u32; N]) -> bool {
    let mut seen = Tops::NOTHING;
    for i in 0..N {
        let (x, y, z) = (x[i], y[i], z[i]);
        let of_product = (float(x & INFINITY) * float(y & INFINITY)).to_bits() & INFINITY;
        let top = of_product.max(z & INFINITY);
        seen.see(top, (x & INFINITY).min(y & INFINITY));
        // Zeros have no power of two, and any serves.
        let top = top.max(LOW_IN_DOUBLE);
        let (unit, units) = (double(top - UNIT_PLACES), double(UNITS - top));
        let product = units_made_odd(double(x) * double(y) * units);
        let sum = product + units_made_odd(double(z) * units);
        out[i] = zero_of::<A>((without_second_bit(sum) * unit) as f32);
    }
    seen.are_within(LOW_IN_DOUBLE..HIGH_IN_DOUBLE)
}

/// From 2^-96 on a unit is in the normal range, and products below that range are less than one.
const LOW_IN_DOUBLE: u32 = 31 << 23;
/// Sums of less than eight times 2^120 do not overflow.
const HIGH_IN_DOUBLE: u32 = 247 << 23;

/// A unit below its power of two, and what such a power is taken from to give the units of 1.0.
const UNIT_PLACES: u32 = 26 << 23;
const UNITS: u32 = (254 << 23) + UNIT_PLACES;

/// A value in units as an integer, made odd if it is none, or a zero of its sign if it is less
/// than one.
#[inline(always)]
fn units_made_odd(value: f64) -> f64 {
    /// What makes the nearest integer of a sum, whose lowest bit is the integer's.
    const TO_INTEGER: f64 = 1.5 * (1_u64 << 52) as f64;
    let shifted = value + TO_INTEGER;
    let nearest = shifted - TO_INTEGER;
    let rest = value - nearest;
    let is_kept = (rest == 0.0) | (shifted.to_bits() & 1 == 1);
    let odd = if is_kept { nearest } else { nearest + 1.0_f64.copysign(rest) };
    if value.abs() < 1.0 { 0.0_f64.copysign(value) } else { odd }
}

/// A sum of at least 2^28 units loses its lowest two bits when it is rounded, and only the lower is
/// remembered. It is less than 2^29.
#[inline(always)]
fn without_second_bit(sum: f64) -> f64 {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    let bits = sum.to_bits();
    let loses = (bits >> FRACTION) & 0x7ff == 1023 + 28;
    f64::from_bits(bits & !(u64::from(loses) << (FRACTION - 28 + 1)))
}

/// The same, and which lanes are doubtful, if any is.
#[inline(always)]
fn each<A: Arithmetic, const N: usize>(
    [x, y, z]: [&[u32; N]; 3],
    out: &mut [u32; N],
) -> Option<[bool; N]> {
    if wide::<A, N>([x, y, z], out) {
        return None;
    }
    let mut doubtful = [false; N];
    for i in 0..N {
        doubtful[i] = !wide::<A, 1>([&[x[i]], &[y[i]], &[z[i]]], &mut [0]);
    }
    Some(doubtful)
}

/// Lanes by which it is guessed what is worth trying.
const SAMPLE: usize = 16;

/// Computes multiply-adds, and says which are doubtful, if any is. Of factors it may be known that
/// they are plain ([`direct::is_plain`]).
#[inline(always)]
pub(super) fn multiply_add<A: Arithmetic, const N: usize>(
    operands: [&[u32; N]; 3],
    is_plain: [bool; 2],
    out: &mut [u32; N],
) -> Option<[bool; N]> {
    let [x, y, z] = operands;
    if !(is_plain[0] || are_plain(x)) || !(is_plain[1] || are_plain(y)) {
        return Some([true; N]);
    }
    let sample = operands.map(first);
    let [few_x, few_y, few_z] = sample.each_ref();
    let mut few = [0; SAMPLE];
    let is_same = z.iter().fold(0, |differences, value| differences | (value ^ z[0])) == 0;
    if is_same {
        let addend = Same(z[0]);
        if beside([few_x, few_y], addend, &mut few) && beside([x, y], addend, out) {
            return None;
        }
        if toward([few_x, few_y], z[0], &mut few) && toward([x, y], z[0], out) {
            return None;
        }
    } else if beside([few_x, few_y], Each(few_z), &mut few) && beside([x, y], Each(z), out) {
        return None;
    }
    if !are_plain(z) {
        return Some([true; N]);
    }
    let is_near = all::<A, false, _>(sample.each_ref(), &mut few);
    if is_near && all::<A, false, _>(operands, out) {
        return None;
    }
    let is_far = all::<A, true, _>(sample.each_ref(), &mut few);
    if is_far && all::<A, true, _>(operands, out) {
        return None;
    }
    each::<A, N>(operands, out)
}

fn first<const N: usize>(values: &[u32; N]) -> [u32; SAMPLE] {
    std::array::from_fn(|lane| values[lane % N])
}

#[inline(always)]
fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[inline(always)]
fn double(bits: u32) -> f64 {
    f64::from(float(bits))
}

/// Whether values are zero, infinite or normal.
#[inline(always)]
pub(super) fn are_plain<const N: usize>(values: &[u32; N]) -> bool {
    values.iter().fold(u32::MAX, |least, value| least.min((value & !SIGN).wrapping_sub(1)))
        >= HIDDEN - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::MANTISSA;
    use crate::chip::{Blackhole, Wormhole};
    use crate::sfpu::lane;

    /// xorshift64*.
    fn next(state: &mut u64) -> u32 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A value of an exponent near 1.0, of few or many bits, of which many may be ones.
    fn near_one(state: &mut u64) -> u32 {
        let (bits, spread) = (next(state), next(state));
        let e = 127 - 32 + (spread >> 8) % 64;
        let keep = u32::MAX << (spread & 255).min(23);
        let ones = if spread >> 30 == 0 { MANTISSA & keep } else { 0 };
        (bits | ones) & (SIGN | MANTISSA) & keep | e << 23
    }

    /// What all ways to compute say of one lane: how many of them trust it.
    fn check<A: Arithmetic>(x: u32, y: u32, z: u32) -> [u32; 5] {
        let right = lane::multiply_add::<A>(x, y, z);
        let (factors, mut out) = ([&[x], &[y]], [[0]; 5]);
        let mut is_right = [false; 5];
        if are_plain(&[x]) && are_plain(&[y]) {
            is_right[0] = beside(factors, Same(z), &mut out[0]);
            is_right[1] = toward(factors, z, &mut out[1]);
            if are_plain(&[z]) {
                let operands = [&[x], &[y], &[z]];
                is_right[2] = all::<A, false, 1>(operands, &mut out[2]);
                is_right[3] = all::<A, true, 1>(operands, &mut out[3]);
                is_right[4] = wide::<A, 1>(operands, &mut out[4]);
            }
        }
        for way in (0..5).filter(|way| is_right[*way]) {
            let result = out[way][0];
            assert!(
                result == right,
                "{way}: {x:08x} * {y:08x} + {z:08x}: {result:08x}, {right:08x}"
            );
        }
        is_right.map(u32::from)
    }

    /// How many lanes each way trusts.
    fn checked(trusted: &mut [u32; 5], x: u32, y: u32, z: u32) {
        let counts = check::<Wormhole>(x, y, z);
        assert_eq!(check::<Blackhole>(x, y, z), counts);
        trusted.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    #[test]
    fn what_is_trusted_is_right() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let mut trusted = [0; 5];
        for _ in 0..1_000_000 {
            let [x, y] = [near_one(&mut state), near_one(&mut state)];
            let product = (f32::from_bits(x) * f32::from_bits(y)).to_bits();
            // Beside any addend: one that cancels most of the product, or reaches a tie with it.
            let close = (product ^ SIGN).wrapping_add(next(&mut state) % 5).wrapping_sub(2);
            let moved = product ^ (next(&mut state) & (SIGN | MANTISSA | 0x0380_0000));
            let aside = near_one(&mut state) & (SIGN | MANTISSA) | product & INFINITY;
            let places = (next(&mut state) % 64) << 23;
            let aside = aside.wrapping_add(places).wrapping_sub(32 << 23);
            for z in [near_one(&mut state), close, moved, aside, 0] {
                checked(&mut trusted, x, y, z);
            }
        }
        for (way, least) in
            [1_000_000, 2_000_000, 2_500_000, 4_900_000, 4_900_000].into_iter().enumerate()
        {
            assert!(trusted[way] > least, "only {trusted:?} of 5,000,000 are trusted");
        }
    }

    #[test]
    fn nor_is_it_wrong_on_any_bits() {
        let mut state = 1;
        let special = [0, SIGN, 1, HIDDEN, HIDDEN - 1, INFINITY, SIGN | INFINITY, INFINITY | 1];
        let any = |state: &mut u64| match next(state) % 4 {
            0 => special[next(state) as usize % special.len()],
            1 => next(state) & (SIGN | MANTISSA | 7 << 23),
            2 => near_one(state),
            _ => next(state),
        };
        for _ in 0..2_000_000 {
            checked(&mut [0; 5], any(&mut state), any(&mut state), any(&mut state));
        }
    }
}
