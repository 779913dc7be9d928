//! Binades, lowest bits and the elementary roundings: truncation, nearest, flush, overflow.
//!
//! A magnitude is described by the exponents of its highest and lowest set bit. Knows no
//! instruction.

use super::approx::Approx;

/// Significant bits of fp32, tf32 and bf16, the leading one included.
pub(super) const FP32_BITS: i32 = 24;
pub(super) const TF32_BITS: i32 = 11;
pub(super) const BF16_BITS: i32 = 8;

/// Exponent of the smallest normal number: what is below becomes zero nearly everywhere.
pub(super) const LOWEST_EXPONENT: i32 = -126;

/// The smallest normal number, 2^-126: the most that flushing a denormal can lose.
pub(super) const LOWEST: f64 = f32::MIN_POSITIVE as f64;

/// The largest bf16. A value that may reach it may be rounded to infinity in some format, and no
/// bound can judge that; the last binade of fp32 above it is given up for one limit for all.
pub(super) const HIGHEST: f64 = 338_953_138_925_153_547_590_470_800_371_487_866_880.0;

/// From here on f64 holds whole numbers only.
const TWO_TO_52: f64 = (1_u64 << 52) as f64;

/// Lower than the exponent of anything but zero.
pub(super) const NO_EXPONENT: i32 = -1023;

/// Exponent of the leading bit of a non-negative magnitude; [`NO_EXPONENT`] for zero.
#[inline(always)]
pub(super) fn exponent(magnitude: f64) -> i32 {
    ((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Exponent of the lowest set bit; large for zero, which is a multiple of everything.
#[inline(always)]
pub(super) fn lowest_bit(value: f64) -> i32 {
    let grain = lowest_power(value);
    if grain == f64::INFINITY { i32::MAX / 2 } else { exponent(grain) }
}

/// The lowest set bit itself, as a power of two; infinite for zero and for infinity.
///
/// Made of a mantissa's lowest one alone, because hosts count zeros in one value at a time only.
#[inline(always)]
pub(super) fn lowest_power(value: f64) -> f64 {
    let mantissa = value.to_bits() & ((1 << 52) - 1);
    let lowest = mantissa & mantissa.wrapping_neg();
    let alone = (f64::from_bits(TWO_TO_52.to_bits() | lowest) - TWO_TO_52) / TWO_TO_52;
    let power = binade(value) * if mantissa == 0 { 1.0 } else { alone };
    if value == 0.0 { f64::INFINITY } else { power }
}

/// The power of two at or below a magnitude; zero for zero.
#[inline(always)]
pub(super) fn binade(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & f64::INFINITY.to_bits())
}

/// The last place of a magnitude of `bits` significant bits, however small; zero for zero.
#[inline(always)]
pub(super) fn unit(magnitude: f64, bits: i32) -> f64 {
    binade(magnitude) * power(1 - bits)
}

/// 2^`lowest_bit`, or infinity for what is a multiple of everything.
pub(super) fn grain(lowest_bit: i32) -> f64 {
    if lowest_bit > 1023 { f64::INFINITY } else { power(lowest_bit) }
}

/// 2^`exponent`, from the smallest to the largest normal f64.
#[inline(always)]
pub(super) fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// The step between neighbours of `bits` significant bits at `magnitude`.
#[inline(always)]
pub(super) fn step(magnitude: f64, bits: i32) -> f64 {
    unit(magnitude.max(LOWEST), bits)
}

/// The f64 sum, and exactly what f64 lost in it.
#[inline(always)]
pub(super) fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let added = sum - a;
    (sum, ((a - (sum - added)) + (b - added)).abs())
}

/// `value` cut to its first `bits` significant bits, towards zero.
#[inline(always)]
pub(super) fn cut(value: f64, bits: i32) -> f64 {
    f64::from_bits(value.to_bits() & (u64::MAX << (53 - bits)))
}

/// Exponent of the lowest bit that the device's value can have set, if it has `bits`
/// significant ones.
#[inline(always)]
pub(super) fn lowest_bit_of(x: Approx, bits: i32) -> i32 {
    if x.is_exact() { lowest_bit(x.value) } else { exponent(x.least()) - (bits - 1) }
}

/// The power of two that the device's value is a multiple of, if it has `bits` significant ones.
#[inline(always)]
pub(super) fn grain_of(x: Approx, bits: i32) -> f64 {
    if x.is_exact() { lowest_power(x.value) } else { unit(x.least(), bits) }
}

/// Towards zero to `bits` significant bits. Known exactly for an exact operand.
#[inline(always)]
pub(super) fn truncate(x: Approx, bits: i32) -> Approx {
    if !x.is_exact() {
        x.widened(step(x.most(), bits))
    } else if x.value.abs() < LOWEST {
        // Denormals have a fixed step, not a fixed number of bits: charge all of it.
        x.widened(if lowest_bit(x.value) < LOWEST_EXPONENT - (bits - 1) { x.most() } else { 0.0 })
    } else {
        x.widened((x.value - cut(x.value, bits)).abs())
    }
}

/// To the nearest of `bits` significant bits, however ties go. Exact for an exact operand.
#[inline(always)]
pub(super) fn nearest(x: Approx, bits: i32) -> Approx {
    // All ways are computed: loops over many values are not to branch.
    let step = step(x.most(), bits);
    let below = (x.value - cut(x.value, bits)).abs();
    let is_known = x.is_exact() & (x.value.abs() >= LOWEST);
    let by = if is_known { below.min(step - below) } else { step / 2.0 };
    let is_zero = x.is_exact() & (x.value == 0.0);
    x.widened(if is_zero { 0.0 } else { by })
}

/// Denormals become zero, as an operand or as a result.
#[inline(always)]
pub(super) fn flush(x: Approx) -> Approx {
    x.widened(flushed(x.least(), x.most()))
}

/// What flushing can lose of a magnitude between `least` and `most`.
#[inline(always)]
pub(super) fn flushed(least: f64, most: f64) -> f64 {
    if least < LOWEST { most.min(LOWEST) } else { 0.0 }
}

/// No bound where the device may have overflowed; special values stay special.
#[inline(always)]
pub(super) fn overflow(x: Approx) -> Approx {
    x.widened(if x.most() < HIGHEST { 0.0 } else { f64::INFINITY })
}

/// True if the magnitude may be rounded to infinity.
#[inline(always)]
pub(super) fn overflows(most: f64) -> bool {
    most.is_nan() | (most >= HIGHEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest_is_the_largest_bf16() {
        assert_eq!(HIGHEST, f64::from(f32::from_bits(0x7f7f_0000)));
    }

    #[test]
    fn bits_are_found() {
        assert_eq!(exponent(1.5), 0);
        assert_eq!(lowest_bit(1.5), -1);
        assert_eq!(lowest_bit(-6.0), 1);
        assert_eq!(step(1.5, 8), power(-7));
        assert_eq!(cut(-1.999, 1), -1.0);
    }

    #[test]
    fn exact_operands_round_by_their_own_distance() {
        let x = Approx::exact(1.0 + power(-8) + power(-10));
        assert_eq!(truncate(x, 8).error, power(-8) + power(-10));
        assert_eq!(nearest(x, 8).error, power(-8) - power(-10));
        assert_eq!(truncate(Approx::exact(1.5), 8).error, 0.0);
    }
}
