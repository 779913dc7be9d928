//! Four numbers at a time, as wide as a register of AVX2.
//!
//! Plain arrays: the compiler keeps them in vector registers where it has some. Every operation is
//! that of one number, four times, so that results have the bits of loops over single values.

use std::ops::{Add, Mul, Sub};

/// Numbers of a `Quad`.
pub const QUAD: usize = 4;

/// Four numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quad(pub [f64; QUAD]);

impl Quad {
    pub const ZERO: Quad = Quad([0.0; QUAD]);

    #[inline(always)]
    pub fn splat(value: f64) -> Quad {
        Quad([value; QUAD])
    }

    #[inline(always)]
    pub fn map(self, of: impl Fn(f64) -> f64) -> Quad {
        Quad(std::array::from_fn(|at| of(self.0[at])))
    }

    #[inline(always)]
    fn zip(self, other: Quad, of: impl Fn(f64, f64) -> f64) -> Quad {
        Quad(std::array::from_fn(|at| of(self.0[at], other.0[at])))
    }

    #[inline(always)]
    pub fn abs(self) -> Quad {
        self.map(f64::abs)
    }

    /// The smaller ones. None may be NaN.
    #[inline(always)]
    pub fn min(self, other: Quad) -> Quad {
        self.zip(other, |x, y| if x < y { x } else { y })
    }

    /// The larger ones. None may be NaN.
    #[inline(always)]
    pub fn max(self, other: Quad) -> Quad {
        self.zip(other, |x, y| if x > y { x } else { y })
    }

    /// Whether any number is less than the other.
    #[inline(always)]
    pub fn is_any_less(self, other: Quad) -> bool {
        (0..QUAD).fold(false, |is_less, at| is_less | (self.0[at] < other.0[at]))
    }

    /// `yes` where a number is less than the other, else `no`.
    #[inline(always)]
    pub fn if_less(self, other: Quad, yes: Quad, no: Quad) -> Quad {
        let choose = |at: usize| if self.0[at] < other.0[at] { yes.0[at] } else { no.0[at] };
        Quad(std::array::from_fn(choose))
    }
}

impl Add for Quad {
    type Output = Quad;

    #[inline(always)]
    fn add(self, other: Quad) -> Quad {
        self.zip(other, |x, y| x + y)
    }
}

impl Sub for Quad {
    type Output = Quad;

    #[inline(always)]
    fn sub(self, other: Quad) -> Quad {
        self.zip(other, |x, y| x - y)
    }
}

impl Mul for Quad {
    type Output = Quad;

    #[inline(always)]
    fn mul(self, other: Quad) -> Quad {
        self.zip(other, |x, y| x * y)
    }
}

impl Mul<f64> for Quad {
    type Output = Quad;

    #[inline(always)]
    fn mul(self, other: f64) -> Quad {
        self.map(|x| x * other)
    }
}
