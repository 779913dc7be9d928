//! What is known of all values of a tile without looking at them again.
//!
//! Enough to prove that the host's sums and products are the vector unit's, so that a chain of
//! operations on a tile looks at its values once. Claims nothing that has not been seen or derived.

use crate::bits::{HIDDEN, INFINITY, SIGN, exponent};
use crate::{Broadcast, FACE_SIDE, Lanes};

/// Every value is a whole multiple of 2^`unit`, and at most 2^`top` in magnitude: if `top` is below
/// 128, none is infinite or a NaN. What is not zero is at least 2^`unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Magnitudes {
    unit: i16,
    top: i16,
}

/// Beyond every exponent of a value; what zeros have.
const FAR: i16 = 512;

/// Every fp32 value is a multiple of 2 to this power.
const LEAST_UNIT: i16 = -149;

/// Bits below the leading one of an fp32 value.
const FLOAT32_BITS: i16 = 23;

impl Magnitudes {
    /// Of zeros.
    pub const ZERO: Magnitudes = Magnitudes { unit: FAR, top: -FAR };

    /// Of any number of fp32 patterns; nothing if one is denormal, infinite or a NaN.
    #[inline(always)]
    pub fn of(values: impl IntoIterator<Item = u32>) -> Option<Magnitudes> {
        Extremes::of(values).magnitudes()
    }

    /// Of a tile that a broadcast has made.
    #[inline(always)]
    pub(crate) fn of_broadcast(broadcast: Broadcast, tile: &Lanes) -> Option<Magnitudes> {
        let lines = tile.as_chunks::<FACE_SIDE>().0;
        let column = |face: usize| lines[face * FACE_SIDE..][..FACE_SIDE].iter().map(|it| it[0]);
        match broadcast {
            Broadcast::None => Magnitudes::of(tile.iter().copied()),
            Broadcast::Scalar => Magnitudes::of([tile[0]]),
            Broadcast::Row => {
                let [left, right] = [Extremes::of(lines[0]), Extremes::of(lines[FACE_SIDE])];
                left.and(right).magnitudes()
            }
            Broadcast::Column => Extremes::of(column(0)).and(Extremes::of(column(2))).magnitudes(),
        }
    }

    /// Of values with so many bits below their leading one, whose largest magnitude is `most`, and
    /// whose least that is not zero is one above `least`.
    #[inline(always)]
    pub(crate) fn between(least: u32, most: u32, bits: i16) -> Option<Magnitudes> {
        if most == 0 {
            return Some(Magnitudes::ZERO);
        }
        if (least < HIDDEN - 1) | (most >= INFINITY) {
            return None;
        }
        let power = |magnitude: u32| exponent(magnitude) as i16 - 127;
        Some(Magnitudes { unit: power(least + 1) - bits, top: power(most) + 1 })
    }

    /// The same of fp32 values.
    #[inline(always)]
    pub(crate) fn between_floats(least: u32, most: u32) -> Option<Magnitudes> {
        Magnitudes::between(least, most, FLOAT32_BITS)
    }

    /// Of sums and differences of two such values, rounded to fp32 or to fewer bits.
    ///
    /// A sum of multiples is a multiple. Rounding keeps it one: either its last place is no larger
    /// than the unit, and nothing is lost, or the result is a multiple of its last place.
    pub(crate) fn plus(self, other: Magnitudes) -> Magnitudes {
        let top = (self.top.max(other.top) + 1).min(FAR);
        Magnitudes { unit: self.unit.min(other.unit), top }
    }

    /// Of products, rounded in the same way. Exponents beyond those of fp32 say no more: nothing is
    /// derived of values that may have left its range ([`Magnitudes::is_above`]).
    pub(crate) fn times(self, other: Magnitudes) -> Magnitudes {
        let unit = (self.unit + other.unit).clamp(LEAST_UNIT, FAR);
        Magnitudes { unit, top: (self.top + other.top).clamp(-FAR, FAR) }
    }

    /// Of values of either.
    pub(crate) fn or(self, other: Magnitudes) -> Magnitudes {
        Magnitudes { unit: self.unit.min(other.unit), top: self.top.max(other.top) }
    }

    /// Whether all are zero or above a pattern, and finite.
    pub(crate) fn is_above(self, floor: u32) -> bool {
        self.unit > exponent(floor) as i16 - 127 && self.top < 128
    }

    /// Whether a value is as is claimed.
    pub fn holds(self, value: u32) -> bool {
        let significand = crate::bits::significand(value);
        let place = exponent(value) as i32 - 150 + significand.trailing_zeros() as i32;
        let magnitude = f64::from(f32::from_bits(value & !SIGN));
        significand == 0
            || place >= i32::from(self.unit) && magnitude <= 2.0_f64.powi(i32::from(self.top))
    }
}

/// The magnitudes of some fp32 patterns: the least that is not zero, less 1, and the largest.
struct Extremes {
    least: u32,
    most: u32,
}

impl Extremes {
    #[inline(always)]
    fn of(values: impl IntoIterator<Item = u32>) -> Extremes {
        let mut seen = Extremes { least: u32::MAX, most: 0 };
        for value in values {
            let magnitude = value & !SIGN;
            // Zero less 1 is above everything.
            seen.least = seen.least.min(magnitude.wrapping_sub(1));
            seen.most = seen.most.max(magnitude);
        }
        seen
    }

    #[inline(always)]
    fn and(self, other: Extremes) -> Extremes {
        Extremes { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    #[inline(always)]
    fn magnitudes(self) -> Option<Magnitudes> {
        Magnitudes::between(self.least, self.most, FLOAT32_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f32]) -> Option<Magnitudes> {
        Magnitudes::of(values.iter().map(|value| value.to_bits()))
    }

    #[test]
    fn zeros_have_no_unit_and_what_is_not_a_number_has_nothing() {
        assert_eq!(of(&[0.0, -0.0]), Some(Magnitudes::ZERO));
        assert_eq!(of(&[1.0, 0.0, -3.0]), Some(Magnitudes { unit: -23, top: 2 }));
        for odd in [f32::INFINITY, f32::NAN, f32::MIN_POSITIVE / 2.0] {
            assert_eq!(of(&[1.0, odd]), None);
        }
        assert_eq!(of(&[f32::MIN_POSITIVE]), Some(Magnitudes { unit: -149, top: -125 }));
    }

    #[test]
    fn results_keep_to_what_is_derived_of_them() {
        // Differences of neighbours, and products: the least that sums and products can leave.
        let (x, y) = (1.0 + f32::EPSILON, 1.0);
        let sum = of(&[x]).zip(of(&[y])).map(|(x, y)| x.plus(y)).expect("numbers");
        assert!(2.0_f32.powi(sum.unit.into()) <= x - y && x + y <= 2.0_f32.powi(sum.top.into()));
        let product = of(&[x]).zip(of(&[y])).map(|(x, y)| x.times(y)).expect("numbers");
        assert!(
            2.0_f32.powi(product.unit.into()) <= x * y && x * y <= 2.0_f32.powi(product.top.into())
        );
        assert_eq!(Magnitudes::ZERO.times(Magnitudes::ZERO), Magnitudes::ZERO);
        assert!(Magnitudes::ZERO.is_above(INFINITY - 1));
        assert!(of(&[1.0]).is_some_and(|one| !one.is_above(1.0_f32.to_bits())));
    }
}
