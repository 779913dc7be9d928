//! Sums and products of lanes by the host's own f32 instructions, where they give the same bits.
//!
//! A caller first collects in `Seen` what decides whether some lanes can be trusted, and computes
//! them with `lane::fma`, which defines what is right, if not. Looking at magnitudes is cheaper
//! than flushing operands and results on the way.

use crate::Magnitudes;
use crate::bits::{HIDDEN, INFINITY, SIGN, flush, flush_signed};
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

/// `fma(1.0, x, y)` of any operands, and whether it is doubtful.
///
/// What [`add`] says of rounding is true of all normal operands and zeros. Denormals count as zeros
/// of their sign. What is left below the normal range is exact, because both addends are multiples
/// of the least denormal, and becomes a zero: of its sign in the standard arithmetic. Sums that are
/// too large are infinite on both sides, and so are those of an infinite operand, unless NaN.
#[inline(always)]
pub(super) fn any_add<A: Arithmetic>(x: u32, y: u32) -> (u32, bool) {
    let sum = f32::from_bits(flush_signed(x)) + f32::from_bits(flush_signed(y));
    let kept = flush_signed(zero_of::<A>(sum));
    let is_nan = kept & !SIGN > INFINITY;
    (if A::IS_STANDARD { kept } else { flush(kept) }, is_nan)
}

/// `fma(x, y, 0.0)` of any operands, and whether it is doubtful.
///
/// What [`mul`] says, of operands of which denormals are made zeros. A result of the host below the
/// least normal value is the SFPU's zero: before either rounded, it was below by more than half of
/// what 24 bits leave there. In the standard arithmetic such zeros have signs, unless the product
/// was dropped, so that they are doubtful, as is the least normal value itself. Infinite products
/// are the same on both sides, unless they are NaN.
#[inline(always)]
pub(super) fn any_mul<A: Arithmetic>(x: u32, y: u32) -> (u32, bool) {
    let product = mul(flush_signed(x), flush_signed(y));
    let magnitude = product & !SIGN;
    let is_low = match A::IS_STANDARD {
        true => magnitude.wrapping_sub(1) < HIDDEN,
        false => magnitude == HIDDEN,
    };
    (flush(product), is_low | (magnitude > INFINITY))
}

/// A result of the host, with the sign that a zero has in the arithmetic.
#[inline(always)]
pub(super) fn zero_of<A: Arithmetic>(x: f32) -> u32 {
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

    /// Compares sums and products with those of the unit; how many of both are doubtful.
    fn check<A: Arithmetic>(x: u32, y: u32) -> usize {
        let sums = (any_add::<A>(x, y), lane::multiply_add::<A>(crate::bits::ONE, x, y));
        let products = (any_mul::<A>(x, y), lane::multiply_add::<A>(x, y, 0));
        for ((result, is_doubtful), right) in [sums, products] {
            assert!(is_doubtful || result == right, "{x:08x}, {y:08x}: {result:08x}, {right:08x}");
        }
        [sums, products].iter().filter(|((_, is_doubtful), _)| *is_doubtful).count()
    }

    /// Random patterns, and those of exponents at which products and sums leave the normal range.
    #[test]
    fn sums_and_products_of_any_operands_are_right() {
        let (mut state, mut doubtful) = (0x9e37_79b9_7f4a_7c15_u64, [0; 2]);
        let mut next = || {
            state =
                state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 32) as u32
        };
        for _ in 0..2_000_000 {
            let (x, bits, kind) = (next(), next(), next());
            let (e, ends) = (x >> 23 & 255, [0, 1, 2, 0x7f_fffe, 0x7f_ffff, 0x40_0000]);
            let mantissa = match kind >> 8 & 1 {
                0 => bits & 0x7f_ffff,
                _ => ends[(kind >> 9) as usize % ends.len()],
            };
            let near = |exponent: u32| bits & SIGN | (exponent & 255) << 23 | mantissa;
            let around = (kind >> 2) % 4;
            let y = match kind & 3 {
                0 => near(e.wrapping_add(around).wrapping_sub(2)),
                1 => near(126_u32.wrapping_sub(e).wrapping_add(around)),
                2 => near(around),
                _ => bits,
            };
            for (x, y) in [(x, y), (x & !0x7f_ff00, y), (x & 0x81ff_ffff, y)] {
                doubtful[0] += check::<Wormhole>(x, y);
                doubtful[1] += check::<Blackhole>(x, y);
            }
        }
        assert!(doubtful[0] < 600_000 && doubtful[1] < 2_000_000, "{doubtful:?} of 12,000,000");
    }
}
