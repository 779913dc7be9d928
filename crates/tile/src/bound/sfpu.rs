//! SFPU functions of two operands (7.1, 7.5), and how results are stored.
//!
//! Operands are Dst values; the SFPU loads them as they are and takes denormals for zero.

use super::Growth;
use super::accumulate::Accumulator;
use super::approx::Approx;
use super::convert::{maximum, minimum};
use super::grid::{self, BF16_BITS, FP32_BITS, LOWEST};
use crate::DstWidth;
use crate::sfpu::Binary;

/// Relative error of a quotient before its last rounding to bf16.
///
/// fp32: the residual a - q·b is formed from a rounded product, so the quotient is off by half a
/// step of that and half a step of its own, 2^-23 together; where the residual underflows, by
/// the reciprocal's 0.892 ulp (7.5) and half a step, which is more.
const QUOTIENT: f64 = 1.4 / (1 << 23) as f64;

/// Reciprocals of larger magnitudes are flushed (7.5).
const RECIPROCAL_FLUSHES: f64 = 1.0 / LOWEST;

/// How a function's result gets from its fp32 register into a bf16 Dst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Store {
    /// As the store does it.
    Truncate,
    /// Rounded to the nearest by the function before it stores.
    Nearest,
}

/// What a binary SFPU function leaves in Dst.
#[inline(always)]
pub fn binary(op: Binary, width: DstWidth, x: Approx, y: Approx) -> Approx {
    match op {
        Binary::Add => add(width, x, y),
        Binary::Sub => add(width, x, -y),
        Binary::Rsub => add(width, y, -x),
        Binary::Mul => multiply(width, Store::Nearest, x, y),
        Binary::Div => divide(width, x, y),
        Binary::Max => grid::flush(maximum([x, y])),
        Binary::Min => grid::flush(minimum([x, y])),
    }
}

/// A sum, correctly rounded in fp32 and truncated by a bf16 store.
#[inline(always)]
pub(super) fn add(width: DstWidth, x: Approx, y: Approx) -> Approx {
    let mut sum = Accumulator::new(width, Growth::Worst, grid::flush(x));
    sum.add_in_sfpu(y);
    sum.approx()
}

/// A product, correctly rounded in fp32, then stored.
#[inline(always)]
pub(super) fn multiply(width: DstWidth, how: Store, x: Approx, y: Approx) -> Approx {
    let (x, y) = (grid::flush(x), grid::flush(y));
    let carried = x.value.abs() * y.error + y.value.abs() * x.error + x.error * y.error;
    // Operands have 24 bits, so that the product of exact ones is exact in f64.
    let product = Approx::computed(x.value * y.value, carried);
    store(width, how, grid::nearest(product, FP32_BITS))
}

/// A register's value stored to Dst: flushed, and in a bf16 Dst rounded.
#[inline(always)]
pub(super) fn store(width: DstWidth, how: Store, x: Approx) -> Approx {
    let x = match (width, how) {
        (DstWidth::Bits32, Store::Truncate | Store::Nearest) => x,
        (DstWidth::Bits16, Store::Truncate) => grid::truncate(x, BF16_BITS),
        (DstWidth::Bits16, Store::Nearest) => grid::nearest(x, BF16_BITS),
    };
    grid::overflow(grid::flush(x))
}

fn divide(width: DstWidth, x: Approx, y: Approx) -> Approx {
    let (x, y) = (grid::flush(x), grid::flush(y));
    if y.least() == 0.0 {
        return Approx::special();
    }
    let value = x.value / y.value;
    let carried = (x.error + value.abs() * y.error) / y.least();
    let flushed = if y.most() >= RECIPROCAL_FLUSHES { x.most() * LOWEST } else { 0.0 };
    let own = (value.abs() + carried) * QUOTIENT + flushed + doubled(width, x, y);
    store(width, Store::Nearest, Approx::computed(value, carried + own))
}

/// A dividend at the bottom of the range: the product q·y of the correction is flushed, the whole
/// dividend is taken for the rest, and the quotient comes out twice as large.
fn doubled(width: DstWidth, x: Approx, y: Approx) -> f64 {
    const BOTTOM: f64 = LOWEST * (1.0 + 1.0 / (1 << 20) as f64);
    let may_double = width == DstWidth::Bits32 && x.least() < BOTTOM;
    if may_double { x.most().min(BOTTOM) / y.least() } else { 0.0 }
}
