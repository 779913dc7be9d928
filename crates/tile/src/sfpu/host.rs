//! Sums and products of lanes by the host's own f32 instructions, where they give the same bits.
//!
//! A caller first collects in `Seen` what decides whether some lanes can be trusted, and computes
//! them with `lane::fma`, which defines what is right, if not. Looking at magnitudes is cheaper
//! than flushing operands and results on the way.

use crate::Magnitudes;
use crate::bits::{HIDDEN, INFINITY, SIGN};
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
