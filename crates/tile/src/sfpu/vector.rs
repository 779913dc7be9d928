//! Vectors of lanes, and the operations on them that SFPU programs are written in.
//!
//! A vector is longer than the SFPU's 32 lanes: programs know no neighbours, and a longer loop
//! pays for choosing between host arithmetic and exact integer arithmetic per operation.

use super::{host, lane};
use crate::dispatch::{self, Kernel};

/// Lanes of a [`Vector`].
pub(super) const VECTOR_LANES: usize = 128;

/// Values of one register of an SFPU program, for many lanes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Vector(pub(super) [u32; VECTOR_LANES]);

/// A vector, or one constant for all lanes.
pub(super) trait Operand: Copy {
    fn lane(self, lane: usize) -> u32;
}

impl Operand for u32 {
    #[inline(always)]
    fn lane(self, _lane: usize) -> u32 {
        self
    }
}

impl Operand for &Vector {
    #[inline(always)]
    fn lane(self, lane: usize) -> u32 {
        self.0[lane]
    }
}

/// x * y + z.
pub(super) fn fma(x: impl Operand, y: impl Operand, z: impl Operand) -> Vector {
    build(|i| lane::fma(x.lane(i), y.lane(i), z.lane(i)))
}

/// x * y: `fma(x, y, 0.0)`.
pub(super) fn mul(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(|i| host::mul(x.lane(i), y.lane(i)), |i| lane::fma(x.lane(i), y.lane(i), 0))
}

/// x + y: `fma(1.0, x, y)`.
pub(super) fn add(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(
        |i| host::add(x.lane(i), y.lane(i)),
        |i| lane::fma(crate::bits::ONE, x.lane(i), y.lane(i)),
    )
}

/// x - y: `fma(y, -1.0, x)`.
pub(super) fn sub(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(
        |i| host::sub(x.lane(i), y.lane(i)),
        |i| lane::fma(y.lane(i), super::MINUS_ONE, x.lane(i)),
    )
}

impl Vector {
    /// Applies `f` to each lane.
    #[inline(always)]
    pub(super) fn map(&self, f: impl Fn(u32) -> u32) -> Vector {
        build(|i| f(self.0[i]))
    }

    /// Applies `f` to each pair of lanes.
    #[inline(always)]
    pub(super) fn zip(&self, y: &Vector, f: impl Fn(u32, u32) -> u32) -> Vector {
        build(|i| f(self.0[i], y.0[i]))
    }

    /// Applies `f` to each triple of lanes.
    #[inline(always)]
    pub(super) fn zip3(&self, y: &Vector, z: &Vector, f: impl Fn(u32, u32, u32) -> u32) -> Vector {
        build(|i| f(self.0[i], y.0[i], z.0[i]))
    }
}

/// Computes every lane with `f`.
#[inline(always)]
fn build(f: impl Fn(usize) -> u32) -> Vector {
    let mut out = Vector([0; VECTOR_LANES]);
    dispatch::run(Build { f, out: &mut out });
    out
}

struct Build<'a, F> {
    f: F,
    out: &'a mut Vector,
}

impl<F: Fn(usize) -> u32> Kernel for Build<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for i in 0..VECTOR_LANES {
            self.out.0[i] = (self.f)(i);
        }
    }
}

/// Computes every lane with `fast`, and again with `exact` if any lane was doubtful.
#[inline(always)]
fn build_checked(fast: impl Fn(usize) -> (u32, u32), exact: impl Fn(usize) -> u32) -> Vector {
    let mut out = Vector([0; VECTOR_LANES]);
    if dispatch::run(Check { f: fast, out: &mut out }) != 0 {
        dispatch::run(Build { f: exact, out: &mut out });
    }
    out
}

struct Check<'a, F> {
    f: F,
    out: &'a mut Vector,
}

impl<F: Fn(usize) -> (u32, u32)> Kernel for Check<'_, F> {
    type Output = u32;
    #[inline(always)]
    fn run<const FUSED: bool>(self) -> u32 {
        let mut doubt = 0;
        for i in 0..VECTOR_LANES {
            let (value, lane_doubt) = (self.f)(i);
            self.out.0[i] = value;
            doubt |= lane_doubt;
        }
        doubt
    }
}
