//! An exact value beside a bound on the device's error.
//!
//! Knows no step: what a step does to the pair is in the other files.

use std::ops::Neg;

/// A step of f64 itself. Reference values are computed in f64, and their rounding is
/// charged to the bound wherever the device's own result is not exact.
const F64_STEP: f64 = f64::EPSILON;

/// An exact value, and a bound on |device register value - exact value|.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approx {
    /// The exact mathematical value, as far as f64 can tell.
    pub value: f64,
    /// How far the device's value may be from it; infinite if no bound can be given.
    pub error: f64,
}

impl Approx {
    /// Zero, exactly.
    pub const ZERO: Self = Self::exact(0.0);

    /// A value that the device holds exactly. A NaN or an infinity is held to its class: any NaN,
    /// or the infinity with its sign.
    #[inline]
    pub const fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// A value that the device holds up to `error`.
    #[inline(always)]
    pub const fn new(value: f64, error: f64) -> Self {
        Self { value, error }
    }

    /// What depends on a NaN or an infinity, or may overflow: nothing can be said of it.
    #[inline]
    pub const fn special() -> Self {
        Self { value: f64::NAN, error: f64::INFINITY }
    }

    /// The exact value of an fp32 pattern, as registers hold them (a bf16 is its pattern << 16).
    #[inline(always)]
    pub fn from_bits(bits: u32) -> Self {
        let value = f64::from(f32::from_bits(bits));
        if value.is_finite() { Self::exact(value) } else { Self::special() }
    }

    /// True if there is a bound at all: no special value, no possible overflow.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.value.is_finite() && self.error.is_finite()
    }

    /// True if a device's value can be held against it: there is a bound, or the value is known to
    /// be NaN or infinite.
    #[inline(always)]
    pub fn is_judged(self) -> bool {
        self.error.is_finite() && (self.value.is_finite() || self.error == 0.0)
    }

    /// True if the device holds the exact value.
    #[inline(always)]
    pub fn is_exact(self) -> bool {
        self.error == 0.0
    }

    /// The largest magnitude that the device's value can have.
    #[inline(always)]
    pub fn most(self) -> f64 {
        self.value.abs() + self.error
    }

    /// The smallest magnitude that the device's value can have.
    #[inline(always)]
    pub fn least(self) -> f64 {
        (self.value.abs() - self.error).max(0.0)
    }

    /// The same value with `by` more error.
    #[must_use]
    #[inline(always)]
    pub fn widened(self, by: f64) -> Self {
        Self { value: self.value, error: self.error + by }
    }

    /// The magnitude.
    #[must_use]
    pub fn abs(self) -> Self {
        Self { value: self.value.abs(), error: self.error }
    }

    /// |device - value| as a share of the bound: at most 1 for a correct device.
    ///
    /// Infinite if the device differs from an exact value, is NaN or infinite although a bound
    /// exists, or is of another class than an exact NaN or infinity; 0 where nothing is known.
    #[inline]
    pub fn ratio(self, device: f64) -> f64 {
        let distance = (device - self.value).abs();
        if !self.is_finite() {
            let is_same = device == self.value || device.is_nan() && self.value.is_nan();
            if is_same || !self.is_judged() { 0.0 } else { f64::INFINITY }
        } else if distance == 0.0 {
            0.0
        } else if distance.is_finite() {
            distance / self.error
        } else {
            f64::INFINITY
        }
    }

    /// True if the device's value is inside the bound, or no bound exists.
    pub fn admits(self, device: f64) -> bool {
        self.ratio(device) <= 1.0
    }

    /// A result computed in f64: exact if the device is, else with f64's own step added.
    #[inline(always)]
    pub(super) fn computed(value: f64, error: f64) -> Self {
        // Both ways are computed: loops over many values are not to branch.
        let is_special = value.is_nan() | error.is_nan();
        let own = if error == 0.0 { 0.0 } else { value.abs() * F64_STEP };
        let error = error + own;
        Self {
            value: if is_special { f64::NAN } else { value },
            error: if is_special { f64::INFINITY } else { error },
        }
    }
}

impl Neg for Approx {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, error: self.error }
    }
}
