//! Fields of fp32 patterns, and the one bit trick that lanes need often.
//!
//! Branch-free on purpose: these are inlined into loops that the compiler vectorises.

/// The sign bit.
pub(crate) const SIGN: u32 = 0x8000_0000;
/// Positive infinity, and the mask of the exponent field.
pub(crate) const INFINITY: u32 = 0x7f80_0000;
/// The mask of the mantissa field.
pub(crate) const MANTISSA: u32 = 0x007f_ffff;
/// The implicit leading one of a normal significand.
pub(crate) const HIDDEN: u32 = 0x0080_0000;
/// 1.0.
pub(crate) const ONE: u32 = 0x3f80_0000;
/// The quiet NaN that programs produce.
pub(crate) const QUIET_NAN: u32 = 0x7fc0_0000;

/// The biased exponent field.
#[inline(always)]
pub(crate) fn exponent(x: u32) -> u32 {
    (x >> 23) & 255
}

/// The 24-bit significand; 0 for zeros and denormals.
#[inline(always)]
pub(crate) fn significand(x: u32) -> u32 {
    if x & INFINITY == 0 { 0 } else { x & MANTISSA | HIDDEN }
}

/// `x`, or +0 if its exponent field is 0.
#[inline(always)]
pub(crate) fn flush(x: u32) -> u32 {
    if x & INFINITY == 0 { 0 } else { x }
}

/// `x`, or a zero of its sign if its exponent field is 0.
#[inline(always)]
pub(crate) fn flush_signed(x: u32) -> u32 {
    if x & INFINITY == 0 { x & SIGN } else { x }
}

/// Index of the leading one of `m`, which is below 2^31; -127 for 0.
///
/// With the bit below the leading one cleared, conversion to f32 cannot carry into the next
/// exponent. That is four instructions where AVX2 has no count of leading zeros.
#[inline(always)]
pub(crate) fn leading_one(m: u32) -> i32 {
    let kept = m & !(m >> 1);
    ((kept as i32 as f32).to_bits() >> 23) as i32 - 127
}

/// How 16 bits of Dst hold a bf16 pattern: sign, mantissa, exponent.
#[inline(always)]
pub(crate) fn stored16(pattern: u32) -> u32 {
    pattern & 0x8000 | (pattern & 0x7f) << 8 | pattern >> 7 & 0xff
}

/// The bf16 pattern that 16 bits of Dst hold.
#[inline(always)]
pub(crate) fn loaded16(stored: u32) -> u32 {
    stored & 0x8000 | (stored & 0xff) << 7 | stored >> 8 & 0x7f
}

/// Total order of fp32 patterns as signed integers: -NaN < -Inf < -0 < +0 < +Inf < +NaN.
#[inline(always)]
pub(crate) fn order_key(x: u32) -> i32 {
    (x ^ (((x as i32) >> 31) as u32 >> 1)) as i32
}
