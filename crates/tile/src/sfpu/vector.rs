//! Vectors of lanes, and the operations on them that SFPU programs are written in.
//!
//! A vector is longer than the SFPU's 32 lanes: programs know no neighbours, and a longer loop
//! pays for choosing between host arithmetic and exact integer arithmetic per operation.

use super::direct::{Add, Function, Mul, Sub};
use super::host::Seen;
use super::lane;
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
    build_checked(Mul, x, y)
}

/// x + y: `fma(1.0, x, y)`.
pub(super) fn add(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(Add, x, y)
}

/// x - y: `fma(y, -1.0, x)`.
pub(super) fn sub(x: impl Operand, y: impl Operand) -> Vector {
    build_checked(Sub, x, y)
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

/// Computes every lane by the host's arithmetic, or exactly if not all of that can be trusted.
#[inline(always)]
fn build_checked(f: impl Function, x: impl Operand, y: impl Operand) -> Vector {
    let mut out = Vector([0; VECTOR_LANES]);
    dispatch::run(Checked { f, x, y, out: &mut out });
    out
}

struct Checked<'a, F, X, Y> {
    f: F,
    x: X,
    y: Y,
    out: &'a mut Vector,
}

impl<F: Function, X: Operand, Y: Operand> Kernel for Checked<'_, F, X, Y> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let Checked { f, x, y, out } = self;
        let mut seen = Seen::NOTHING;
        for i in 0..VECTOR_LANES {
            f.watch(x.lane(i), y.lane(i), &mut seen);
            out.0[i] = f.fast(x.lane(i), y.lane(i));
        }
        if !seen.is_above(F::FLOOR) {
            for i in 0..VECTOR_LANES {
                out.0[i] = f.exact(x.lane(i), y.lane(i));
            }
        }
    }
}
