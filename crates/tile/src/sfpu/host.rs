//! Sums and products of lanes by the host's own f32 instructions, where they give the same bits.
//!
//! Each function returns a result and a word that is non-zero if the result may not be trusted;
//! the caller then repeats those lanes with `lane::fma`, which defines what is right.

use crate::bits::{HIDDEN, INFINITY, SIGN, flush};

/// Added to the bits of an exponent field, overflows into bit 31 for 255 only.
const TO_SIGN: u32 = HIDDEN;

/// Non-zero (in bit 31) if the exponent field is 255.
#[inline(always)]
fn is_huge(x: u32) -> u32 {
    ((x & INFINITY) + TO_SIGN) & SIGN
}

/// `fma(1.0, x, y)`.
///
/// Why the host may do it: with one factor 1.0 the product is exact and a multiple of 8 units, so
/// at most the smaller addend is shifted inexactly, and its sticky bit makes the sum odd. The
/// decision to round lies at an even unit as long as the sum's leading one is at bit 25 or above;
/// below that, two bits or more cancelled, the shift was by one at most and nothing is inexact.
/// So the sum is rounded correctly, to nearest even, as the host does. An addend shifted out
/// without a trace is below a quarter of an ulp and does not change the host's result either.
/// Sums below 2^-126 are exact on both sides and become +0 here. Overflow is to Inf on both.
/// Left over are operands with exponent 255.
#[inline(always)]
pub(super) fn add(x: u32, y: u32) -> (u32, u32) {
    let sum = f32::from_bits(flush(x)) + f32::from_bits(flush(y));
    (flush(sum.to_bits()), is_huge(x) | is_huge(y))
}

/// `fma(y, -1.0, x)`, that is x - y; see [`add`].
#[inline(always)]
pub(super) fn sub(x: u32, y: u32) -> (u32, u32) {
    add(x, y ^ SIGN)
}

/// `fma(x, y, 0.0)`.
///
/// Why the host may do it: the product keeps 27 bits or more with a sticky bit, which decides
/// rounding to 24 bits correctly. Exponents of 255 and above give Inf on both sides. The SFPU
/// flushes after rounding to 24 bits of the normalised product (and drops products whose
/// exponents add up to less than that), the host rounds denormals to fewer bits: they can only
/// disagree on whether a product just below 2^-126 reaches it, so that the result is doubtful if
/// it is exactly 2^-126. Left over are operands with exponent 255.
#[inline(always)]
pub(super) fn mul(x: u32, y: u32) -> (u32, u32) {
    let bits = (f32::from_bits(flush(x)) * f32::from_bits(flush(y))).to_bits();
    let is_doubtful = if bits & !SIGN == HIDDEN { SIGN } else { 0 };
    (flush(bits), is_huge(x) | is_huge(y) | is_doubtful)
}
