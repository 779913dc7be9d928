//! Single SFPU instructions on one lane, as 32-bit integer arithmetic without branches.
//!
//! Functions that programs are made of; the programs are beside this file.

use crate::bits::{
    HIDDEN, INFINITY, MANTISSA, QUIET_NAN, SIGN, exponent, flush_signed, leading_one, order_key,
    significand,
};
use crate::chip::{Arithmetic, Chip, with_arithmetic};

/// x * y + z as the SFPMAD of a chip computes it.
#[inline]
pub fn fma(chip: Chip, x: u32, y: u32, z: u32) -> u32 {
    with_arithmetic!(chip, A => multiply_add::<A>(x, y, z))
}

/// x * y + z: the product keeps 27 or 28 bits and a sticky bit.
#[inline(always)]
pub(crate) fn multiply_add<A: Arithmetic>(x: u32, y: u32, z: u32) -> u32 {
    let (ex, ey, ez) = (exponent(x) as i32, exponent(y) as i32, exponent(z) as i32);
    let product_sign = (x ^ y) & SIGN;
    let full_exponent = ex + ey - 127;
    let special = special::<A>(x, y, z, full_exponent);

    let product = product(significand(x), significand(y));
    let is_dropped = (product == 0) | (full_exponent < 0);
    let product = if is_dropped { 0 } else { product };
    let product_exponent = if is_dropped { 0 } else { full_exponent.min(255) };

    let top = product_exponent.max(ez);
    let product = shift_sticky(product, (top - product_exponent) as u32);
    let addend = shift_sticky(significand(z) << 3, (top - ez) as u32);
    let sum = negate_if(product, product_sign) + negate_if(addend, z & SIGN);
    let result = if A::IS_STANDARD {
        normalise_standard(sum, top, product_sign & z)
    } else {
        normalise(sum, top, special.nan)
    };
    if special.is_decided { special.value } else { result }
}

/// What Inf and NaN operands, or an overflowing product, decide.
struct Special {
    /// Whether the result is `value` whatever the sum is.
    is_decided: bool,
    value: u32,
    /// 0, or the NaN that the sum's bits are OR-ed into.
    nan: u32,
}

#[inline(always)]
fn special<A: Arithmetic>(x: u32, y: u32, z: u32, full_exponent: i32) -> Special {
    let (mx, my) = (significand(x), significand(y));
    let (x_huge, y_huge) = (x & INFINITY == INFINITY, y & INFINITY == INFINITY);
    let z_huge = z & INFINITY == INFINITY;
    let (z_inf, z_nan) = (z & !SIGN == INFINITY, z & !SIGN > INFINITY);
    let product_sign = (x ^ y) & SIGN;
    let product_inf = x_huge | y_huge | (full_exponent >= 255);

    let x_invalid = x_huge & ((mx != HIDDEN) | (my == 0));
    let y_invalid = y_huge & ((my != HIDDEN) | (mx == 0));
    let opposes = if A::IS_STANDARD { x_huge | y_huge } else { product_inf };
    let opposed = z_inf & opposes & ((z & SIGN) != product_sign);
    let invalid = x_invalid | y_invalid | opposed;
    let is_nan = invalid | z_nan;
    let infinity = if z_inf { z } else { product_sign | INFINITY };
    if A::IS_STANDARD {
        let value = if is_nan { QUIET_NAN } else { infinity };
        return Special { is_decided: product_inf | z_huge, value, nan: 0 };
    }
    let nan_sign = if invalid { product_sign } else { z & SIGN };
    Special {
        is_decided: (product_inf | z_huge) & !is_nan,
        value: infinity,
        nan: if is_nan { nan_sign | INFINITY | 1 } else { 0 },
    }
}

/// The 48-bit product of two significands shifted right by 20, lost bits OR-ed into bit 0.
///
/// From 12-bit halves, because 32-bit lanes have no 48-bit product.
#[inline(always)]
fn product(mx: u32, my: u32) -> u32 {
    let (xh, xl, yh, yl) = (mx >> 12, mx & 0xfff, my >> 12, my & 0xfff);
    let low = xl * yl;
    let middle = xh * yl + xl * yh + (low >> 12);
    let is_inexact = ((middle & 0xff) | (low & 0xfff)) != 0;
    (((xh * yh) << 4) + (middle >> 8)) | u32::from(is_inexact)
}

/// Shifts right; sets bit 0 if bits were lost, unless nothing is left.
#[inline(always)]
fn shift_sticky(m: u32, n: u32) -> u32 {
    let n = n.min(31);
    let shifted = m >> n;
    let is_inexact = (shifted != 0) & ((shifted << n) != m);
    shifted | u32::from(is_inexact)
}

#[inline(always)]
fn negate_if(m: u32, sign: u32) -> i32 {
    let mask = (sign as i32) >> 31;
    (m as i32 ^ mask) - mask
}

/// The magnitude of a sum with its leading one at bit 26, and how far above that bit it was.
#[inline(always)]
fn aligned(sum: i32) -> (u32, i32) {
    let m = sum.unsigned_abs();
    let up = leading_one(m) - 26;
    // Two bits at most are shifted out, and only bit 0 of the sum is kept as sticky.
    let right = up.clamp(0, 2) as u32;
    let left = (-up).clamp(0, 26) as u32;
    (((m << left) >> right) | if up > 0 { m & 1 } else { 0 }, up)
}

/// Normalises and rounds a sum whose bit 26 weighs 2^(top - 127), ties to even.
#[inline(always)]
fn normalise(sum: i32, top: i32, nan: u32) -> u32 {
    let (m, up) = aligned(sum);
    let e = top + up;
    let truncated = ((e as u32) << 23).wrapping_add((m >> 3) & MANTISSA);
    let rounded = truncated.wrapping_add(u32::from((m & 7) + (truncated & 1) > 4));

    let is_lost = (sum == 0) | (e < 0) | (rounded < HIDDEN);
    let sign = if nan != 0 { nan } else { sum as u32 & SIGN };
    let finite = if is_lost { nan } else { sign | rounded };
    let overflow = if nan != 0 { nan } else { sign | INFINITY };
    // An empty sum has a meaningless exponent, so overflow is tested on what is left.
    if (e >= 255) & (sum != 0) { overflow } else { finite }
}

/// The same where zeros have signs. Below the normal range one more place is rounded away, and what
/// is left is a zero of that sign unless rounding has carried it back.
///
/// A sum of nothing has the signs of both its addends, or is +0.
#[inline(always)]
fn normalise_standard(sum: i32, top: i32, signs: u32) -> u32 {
    let (m, up) = aligned(sum);
    let e = top + up;
    let is_low = e <= 0;
    let m = if is_low { (m >> 1) | (m & 1) } else { m };
    let field = if is_low { 0 } else { (e as u32) << 23 };
    let kept = if is_low { m >> 3 } else { (m >> 3) & MANTISSA };
    let truncated = field.wrapping_add(kept);
    let rounded = truncated.wrapping_add(u32::from((m & 7) + (truncated & 1) > 4));

    let sign = sum as u32 & SIGN;
    let is_lost = (e < 0) | (rounded < HIDDEN);
    let finite = if is_lost { sign } else { sign | rounded };
    let bounded = if e >= 255 { sign | INFINITY } else { finite };
    if sum == 0 { signs & SIGN } else { bounded }
}

/// Target of a conversion by SFP_STOCH_RND in its deterministic, rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// bf16, ties away from zero; NaN becomes Inf (mode 1).
    Bfloat16,
    /// Unsigned 8-bit integer of the magnitude (mode 2).
    Unsigned8,
    /// Sign and 7-bit magnitude (mode 3).
    SignMagnitude8,
    /// Unsigned 16-bit integer of the magnitude (mode 6).
    Unsigned16,
    /// Sign and 15-bit magnitude (mode 7).
    SignMagnitude16,
}

/// SFP_STOCH_RND without randomness: fp32 to a narrower format.
#[inline(always)]
pub fn stochastic_round(mode: Rounding, x: u32) -> u32 {
    match mode {
        Rounding::Bfloat16 => round_to_bfloat16(x),
        Rounding::Unsigned8 => round_magnitude(x, 255),
        Rounding::SignMagnitude8 => with_sign(round_magnitude(x, 127), x),
        Rounding::Unsigned16 => round_magnitude(x, 65535),
        Rounding::SignMagnitude16 => with_sign(round_magnitude(x, 32767), x),
    }
}

/// Ties away from zero; denormals become +0, NaN becomes Inf.
#[inline(always)]
fn round_to_bfloat16(x: u32) -> u32 {
    let rounded = x.wrapping_add(0x8000) & 0xffff_0000;
    let finite = if x & INFINITY == 0 { 0 } else { rounded };
    if x & INFINITY == INFINITY { x & (SIGN | INFINITY) } else { finite }
}

/// |x| rounded half up to an integer of at most `max`.
#[inline(always)]
fn round_magnitude(x: u32, max: u32) -> u32 {
    let e = exponent(x) as i32;
    // Below 2^16 the significand is shifted right by at least 8; from 2^-1 on by at most 24.
    let n = (150 - e).clamp(8, 24) as u32;
    let rounded = (significand(x) + (1 << (n - 1))) >> n;
    let bounded = if e >= 143 { max } else { rounded.min(max) };
    if e < 126 { 0 } else { bounded }
}

/// The magnitude with the sign of `x`, but no negative zero.
#[inline(always)]
fn with_sign(magnitude: u32, x: u32) -> u32 {
    if magnitude == 0 { 0 } else { magnitude | (x & SIGN) }
}

/// SFPCAST: sign and magnitude integer to fp32, nearest even, keeping the sign of zero.
#[inline(always)]
pub fn cast_sign_magnitude(x: u32) -> u32 {
    // The host's conversion rounds to nearest even as well.
    ((x & !SIGN) as i32 as f32).to_bits() | (x & SIGN)
}

/// SFPABS on floats: clears the sign unless the value is a negative NaN.
#[inline(always)]
pub fn absolute(x: u32) -> u32 {
    if x > (SIGN | INFINITY) { x } else { x & !SIGN }
}

/// SFPSTORE: denormals become signed zeros, and a 16-bit Dst truncates.
#[inline(always)]
pub(crate) fn store(x: u32, width_mask: u32) -> u32 {
    flush_signed(x) & width_mask
}

/// `x` with its sign bit replaced by that of `sign`.
#[inline(always)]
pub(crate) fn copy_sign(x: u32, sign: u32) -> u32 {
    x & !SIGN | sign & SIGN
}

/// `x` with its exponent field replaced by the low 8 bits of `e`.
#[inline(always)]
pub(crate) fn set_exponent(x: u32, e: u32) -> u32 {
    x & !INFINITY | (e & 255) << 23
}

/// The smaller in the total order of bit patterns.
#[inline(always)]
pub(crate) fn minimum(x: u32, y: u32) -> u32 {
    if order_key(y) < order_key(x) { y } else { x }
}

/// The larger in the total order of bit patterns.
#[inline(always)]
pub(crate) fn maximum(x: u32, y: u32) -> u32 {
    if order_key(y) < order_key(x) { x } else { y }
}

/// The upper half of `x` rounded to nearest even on its bits, whatever they mean.
#[inline(always)]
pub(crate) fn nearest_even_bfloat16(x: u32) -> u32 {
    x.wrapping_add(0x7fff).wrapping_add((x >> 16) & 1) & 0xffff_0000
}

/// Two's complement to sign and magnitude; -2^31 becomes 0.
#[inline(always)]
pub(crate) fn sign_magnitude(x: u32) -> u32 {
    let magnitude = x.wrapping_neg() & !SIGN;
    let negative = if magnitude == 0 { 0 } else { SIGN | magnitude };
    if x & SIGN == 0 { x } else { negative }
}

/// Sign and magnitude to two's complement; -0 becomes 0.
#[inline(always)]
pub(crate) fn twos_complement(x: u32) -> u32 {
    if x & SIGN == 0 { x } else { (x & !SIGN).wrapping_neg() }
}
