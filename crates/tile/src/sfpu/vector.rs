//! Vectors of lanes, and the operations on them that SFPU programs are written in.
//!
//! A vector is longer than the SFPU's 32 lanes: programs know no neighbours, and a longer loop
//! pays for choosing between host arithmetic and exact integer arithmetic per operation.

use super::{MINUS_ONE, host, lane};
use crate::bits::ONE;
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
    build(Fma { x, y, z })
}

/// x * y: `fma(x, y, 0.0)`.
pub(super) fn mul(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(move |i| host::mul(x.lane(i), y.lane(i)), Fma { x, y, z: 0 })
}

/// x + y: `fma(1.0, x, y)`.
pub(super) fn add(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(move |i| host::add(x.lane(i), y.lane(i)), Fma { x: ONE, y: x, z: y })
}

/// x - y: `fma(y, -1.0, x)`.
pub(super) fn sub(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(move |i| host::sub(x.lane(i), y.lane(i)), Fma { x: y, y: MINUS_ONE, z: x })
}

/// What a lane is computed by: a closure, or a type where inlining must be certain.
trait LaneFunction {
    fn lane(&self, lane: usize) -> u32;
}

impl<F: Fn(usize) -> u32> LaneFunction for F {
    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        self(lane)
    }
}

/// Too large for the compiler to inline into a loop on its own, which vectorising needs.
struct Fma<X, Y, Z> {
    x: X,
    y: Y,
    z: Z,
}

impl<X: Operand, Y: Operand, Z: Operand> LaneFunction for Fma<X, Y, Z> {
    #[inline(always)]
    fn lane(&self, i: usize) -> u32 {
        lane::fma(self.x.lane(i), self.y.lane(i), self.z.lane(i))
    }
}

impl Vector {
    /// Applies `f` to each lane.
    #[inline(always)]
    pub(super) fn map(&self, f: impl Fn(u32) -> u32) -> Vector {
        build(move |i| f(self.0[i]))
    }

    /// Applies `f` to each pair of lanes.
    #[inline(always)]
    pub(super) fn zip(&self, y: &Vector, f: impl Fn(u32, u32) -> u32) -> Vector {
        build(move |i| f(self.0[i], y.0[i]))
    }

    /// Applies `f` to each triple of lanes.
    #[inline(always)]
    pub(super) fn zip3(&self, y: &Vector, z: &Vector, f: impl Fn(u32, u32, u32) -> u32) -> Vector {
        build(move |i| f(self.0[i], y.0[i], z.0[i]))
    }
}

/// Computes every lane with `f`.
#[inline(always)]
fn build(f: impl LaneFunction) -> Vector {
    let mut out = Vector([0; VECTOR_LANES]);
    dispatch::run(Build { f, out: &mut out });
    out
}

struct Build<'a, F> {
    f: F,
    out: &'a mut Vector,
}

impl<F: LaneFunction> Kernel for Build<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for i in 0..VECTOR_LANES {
            self.out.0[i] = self.f.lane(i);
        }
    }
}

/// Computes every lane with `fast`, and again with `exact` if any lane was doubtful.
#[inline(always)]
fn build_checked(fast: impl Fn(usize) -> (u32, u32), exact: impl LaneFunction) -> Vector {
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
