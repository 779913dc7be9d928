//! Sums and products of lanes by the host's own f32 instructions, where they give the same bits.
//!
//! A caller first collects in `Seen` what decides whether some lanes can be trusted, and computes
//! them with `lane::fma`, which defines what is right, if not. Looking at magnitudes is cheaper
//! than flushing operands and results on the way.

use crate::Magnitudes;
use crate::bits::{HIDDEN, INFINITY, MANTISSA, SIGN, exponent, significand};
use crate::chip::Arithmetic;

/// The magnitudes that some lanes went through.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// The least one that is not zero, less 1: so that zero is the largest of all.
    least: u32,
    most: u32,
}

impl Seen {
    /// Nothing yet, which can be trusted.
    pub(super) const NOTHING: Seen = Seen { least: u32::MAX, most: 0 };

    #[inline(always)]
    fn operand(&mut self, x: u32) {
        self.least = self.least.min((x & !SIGN).wrapping_sub(1));
    }

    #[inline(always)]
    fn result(&mut self, x: u32) {
        self.operand(x);
        self.most = self.most.max(x & !SIGN);
    }

    /// What is known of the results. Operands that were looked at too make it weaker, not wrong.
    #[inline(always)]
    pub(super) fn magnitudes(self) -> Option<Magnitudes> {
        Magnitudes::between_floats(self.least, self.most)
    }

    /// Whether all were zero or above `floor`, and all results finite.
    #[inline(always)]
    pub(super) fn is_above(self, floor: u32) -> bool {
        (self.least >= floor) & (self.most < INFINITY)
    }
}

/// What sums must be above: 2^-100.
pub(super) const SUM_FLOOR: u32 = 27 << 23;

/// What products and their operands must be above: 2^-126, the least normal value.
pub(super) const PRODUCT_FLOOR: u32 = HIDDEN;

/// `fma(1.0, x, y)`, if above [`SUM_FLOOR`].
///
/// Why the host may do it: with one factor 1.0 the product is exact and a multiple of 8 units, so
/// at most the smaller addend is shifted inexactly, and its sticky bit makes the sum odd. The
/// decision to round lies at an even unit as long as the sum's leading one is at bit 25 or above;
/// below that, two bits or more cancelled, the shift was by one at most and nothing is inexact.
/// So the sum is rounded correctly, to nearest even, as the host does. An addend shifted out
/// without a trace is below a quarter of an ulp and does not change the host's result either.
/// A denormal operand, which counts as zero here, is below a quarter of an ulp of a sum above the
/// floor. A sum of zero has two zeros as operands, or two that cancel exactly: it has the host's
/// sign in the standard arithmetic, where denormal operands keep theirs, and is +0 otherwise.
/// Overflow and operands with exponent 255 show in the result.
#[inline(always)]
pub(super) fn add<A: Arithmetic>(x: u32, y: u32) -> u32 {
    zero_of::<A>(f32::from_bits(x) + f32::from_bits(y))
}

/// What decides about [`add`].
#[inline(always)]
pub(super) fn watch_add(x: u32, y: u32, seen: &mut Seen) {
    seen.result((f32::from_bits(x) + f32::from_bits(y)).to_bits());
}

/// `fma(x, y, 0.0)`, if operands and result are above [`PRODUCT_FLOOR`].
///
/// Why the host may do it: the product keeps 27 bits or more with a sticky bit, which decides
/// rounding to 24 bits correctly. Exponents of 255 and above give Inf on both sides, and show in
/// the result. Denormals differ: the SFPU flushes after rounding to 24 bits of the normalised
/// product, the host rounds to fewer bits. The least normal value is doubtful too, because the
/// host may have reached it by rounding up; a product rounded down to zero is not: it is below
/// half of the least denormal, and both sides drop it.
#[inline(always)]
pub(super) fn mul(x: u32, y: u32) -> u32 {
    positive_zero(f32::from_bits(x) * f32::from_bits(y))
}

/// What decides about [`mul`].
#[inline(always)]
pub(super) fn watch_mul(x: u32, y: u32, seen: &mut Seen) {
    seen.operand(x);
    seen.operand(y);
    seen.result((f32::from_bits(x) * f32::from_bits(y)).to_bits());
}

/// The same where nothing need be looked at of y.
#[inline(always)]
pub(super) fn watch_mul_by_plain(x: u32, y: u32, seen: &mut Seen) {
    seen.operand(x);
    watch_plain_mul(x, y, seen);
}

/// The same where nothing need be looked at of either.
#[inline(always)]
pub(super) fn watch_plain_mul(x: u32, y: u32, seen: &mut Seen) {
    seen.result((f32::from_bits(x) * f32::from_bits(y)).to_bits());
}

/// Whether a value, as an operand of [`mul`], is above [`PRODUCT_FLOOR`].
#[inline(always)]
pub(super) fn is_plain(x: u32) -> bool {
    (x & !SIGN).wrapping_sub(1) >= PRODUCT_FLOOR
}

/// `fma(x, y, z)` by the host, and whether it is doubtful. For machines with the instruction.
///
/// Why the host may do it: `lane::fma` adds two integers in units of 1/8 of the last place at the
/// larger exponent `top` and rounds the sum to nearest even; the host rounds the exact sum. Call
/// an addend loose if it is not an even number of units: if units were lost, it is odd. As long as
/// one addend is even and not loose, the sum is odd exactly if it is inexact or odd itself, and
/// so on the right side of every even number. Rounding is decided at even numbers if the leading
/// one of the sum is at bit 25 or above, that is, if the result is above 2^(top - 1); a sum that
/// loses nothing is exact wherever its leading one is. Doubtful are therefore: two loose addends;
/// an addend shifted out without a trace beside a product; one loose addend and a result that is
/// not above 2^(top - 1). With the larger exponent the addend z is a multiple of 8 units, and the
/// product counts as loose. Products of 2 and more make sums of 2^28 units and more, from which
/// two bits are dropped and only the lower is remembered: doubtful unless the product, being
/// inexact, has set it. Denormal operands count as zero there, products below the normal range
/// are dropped and results are flushed, so that all of these are doubtful, and so are overflows.
/// A product that is exactly zero leaves z, as it does for the host; if z is zero too, the signs
/// are those of the host in the standard arithmetic, and lost otherwise.
#[inline(always)]
pub(super) fn fma<A: Arithmetic>(x: u32, y: u32, z: u32) -> (u32, bool) {
    let result = zero_of::<A>(f32::from_bits(x).mul_add(f32::from_bits(y), f32::from_bits(z)));
    let magnitude = result & !SIGN;
    let (mx, my, mz) = (significand(x), significand(y), significand(z));
    let (ep, ez) = ((exponent(x) + exponent(y)) as i32 - 127, exponent(z) as i32);
    let has_product = (mx != 0) & (my != 0);

    let lost = mx.wrapping_mul(my);
    let product_loose = lost & 0x1f_ffff != 0;
    let shift = (ep - ez).clamp(0, NO_TRACE) as u32;
    let addend_loose = (mz << 3) & ((2 << shift) - 1) != 0;
    let is_inexact = product_loose | addend_loose | (ez > ep);
    let top = ep.max(ez);
    let both = addend_loose & (product_loose | (shift == NO_TRACE as u32));
    let cancelled = is_inexact & (magnitude <= ((top - 1) as u32) << 23);
    let dropped = (magnitude >= ((top + 2) as u32) << 23) & (lost & 0xf_ffff == 0);
    let out_of_range = !(1..254).contains(&ep);
    let of_product = has_product & (both | cancelled | dropped | out_of_range);
    let denormal = is_denormal(x) | is_denormal(y) | is_denormal(z);
    let of_result = (magnitude >= INFINITY) | (magnitude.wrapping_sub(1) < HIDDEN);
    (result, of_product | denormal | of_result)
}

/// Places by which an addend is shifted out without a trace.
const NO_TRACE: i32 = 27;

#[inline(always)]
fn is_denormal(x: u32) -> bool {
    (x & !SIGN).wrapping_sub(1) < MANTISSA
}

/// A result of the host, with the sign that a zero has in the arithmetic.
#[inline(always)]
fn zero_of<A: Arithmetic>(x: f32) -> u32 {
    if A::IS_STANDARD { x.to_bits() } else { positive_zero(x) }
}

/// Makes +0 of -0.
#[inline(always)]
fn positive_zero(x: f32) -> u32 {
    (x + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::{Blackhole, Wormhole};
    use crate::sfpu::lane;

    /// xorshift64*.
    fn next(state: &mut u64) -> u32 {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A value of an exponent near 1.0, of few or many bits.
    fn near_one(state: &mut u64) -> u32 {
        let (bits, spread) = (next(state), next(state));
        let e = 127 - 32 + (spread >> 8) % 64;
        let keep = u32::MAX << (spread & 255).min(23);
        bits & (SIGN | MANTISSA) & keep | e << 23
    }

    fn check(x: u32, y: u32, z: u32) -> bool {
        let is_doubtful = check_with::<Wormhole>(x, y, z);
        assert_eq!(check_with::<Blackhole>(x, y, z), is_doubtful);
        is_doubtful
    }

    fn check_with<A: Arithmetic>(x: u32, y: u32, z: u32) -> bool {
        let (result, is_doubtful) = fma::<A>(x, y, z);
        let right = lane::multiply_add::<A>(x, y, z);
        assert!(is_doubtful || result == right, "{x:08x} * {y:08x} + {z:08x}: {right:08x}");
        is_doubtful
    }

    #[test]
    fn what_is_not_doubtful_is_right() {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let mut trusted = 0;
        for _ in 0..1_000_000 {
            let [x, y] = [near_one(&mut state), near_one(&mut state)];
            let product = (f32::from_bits(x) * f32::from_bits(y)).to_bits();
            // Beside any addend: one that cancels most of the product, or reaches a tie with it.
            let close = (product ^ SIGN).wrapping_add(next(&mut state) % 5).wrapping_sub(2);
            let moved = product ^ (next(&mut state) & (SIGN | MANTISSA | 0x0380_0000));
            for z in [near_one(&mut state), close, moved, 0] {
                trusted += u32::from(!check(x, y, z));
            }
        }
        assert!(trusted > 1_000_000, "only {trusted} of 4,000,000 are trusted");
    }

    #[test]
    fn nor_is_it_wrong_on_any_bits() {
        let mut state = 1;
        let special = [0, SIGN, 1, HIDDEN, HIDDEN - 1, INFINITY, SIGN | INFINITY, INFINITY | 1];
        let any = |state: &mut u64| match next(state) % 4 {
            0 => special[next(state) as usize % special.len()],
            1 => next(state) & (SIGN | MANTISSA | 7 << 23),
            _ => next(state),
        };
        for _ in 0..2_000_000 {
            check(any(&mut state), any(&mut state), any(&mut state));
        }
    }
}
