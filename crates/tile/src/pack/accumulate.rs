//! L1 accumulation: the packer adds to what is in L1 with IEEE arithmetic.
//!
//! The one place where the hardware is specified by host floating point.

use crate::bits::{INFINITY, QUIET_NAN, SIGN, flush_signed};

/// Adds two fp32 patterns: denormals count and come out as signed zeros, NaN is canonical.
#[inline(always)]
pub(super) fn add_float32(old: u32, new: u32) -> u32 {
    let sum = f32::from_bits(flush_signed(old)) + f32::from_bits(flush_signed(new));
    let bits = flush_signed(sum.to_bits());
    if bits & !SIGN > INFINITY { QUIET_NAN } else { bits }
}

/// Adds two bf16 values held in the upper halves of fp32 patterns.
///
/// The sum is a double, rounded once to bf16. NaN does not propagate: an old one counts as the
/// largest double, a new one as a value just above the fp32 range.
#[inline(always)]
pub(super) fn add_bfloat16(old: u32, new: u32) -> u32 {
    let is_invalid =
        (old & !SIGN == INFINITY) & (new & !SIGN == INFINITY) & ((old ^ new) & SIGN != 0);
    let sum = old_value(old) + new_value(new);
    if is_invalid { QUIET_NAN } else { round_double(sum) }
}

#[inline(always)]
fn old_value(x: u32) -> f64 {
    let largest = f64::from_bits(f64::MAX.to_bits() | u64::from(x & SIGN) << 32);
    if x & !SIGN > INFINITY { largest } else { f64::from(f32::from_bits(flush_signed(x))) }
}

#[inline(always)]
fn new_value(x: u32) -> f64 {
    let e = (1023 + 128) << 52;
    let large = f64::from_bits(u64::from(x & SIGN) << 32 | e | u64::from(x & 0x7f_ffff) << 29);
    if x & !SIGN > INFINITY { large } else { f64::from(f32::from_bits(flush_signed(x))) }
}

/// A double to bf16, nearest even; below the normal range signed zero, above it Inf.
#[inline(always)]
fn round_double(sum: f64) -> u32 {
    let bits = sum.to_bits();
    let sign = (bits >> 32) as u32 & SIGN;
    let e = ((bits >> 52) & 0x7ff) as i32 - 1023 + 127;
    // 45 of the 52 mantissa bits are rounded away.
    let half_less = (1_u64 << 44) - 1 + ((bits >> 45) & 1);
    let mantissa = ((bits & ((1 << 52) - 1)) + half_less) >> 45;
    let rounded = (((e as u32) << 7).wrapping_add(mantissa as u32)) << 16;
    let finite = if e <= 0 { 0 } else { rounded };
    sign | if e >= 255 { INFINITY } else { finite }
}
