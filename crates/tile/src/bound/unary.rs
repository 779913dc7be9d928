//! SFPU functions of one operand (7.5, 7.6): each function's own accuracy, and the operand's error
//! carried through the function.
//!
//! Accuracies are those of the worse chip: where programs differ, both were tried. Those in a
//! 16-bit Dst hold for every operand there is: all bf16 patterns were tried, and
//! the figure is what the result lacks beyond its last rounding. Those in a 32-bit Dst are 7.5's
//! where it has one. The others, named `seen`, are the largest error of seven million operands
//! and a quarter more.

use super::approx::Approx;
use super::convert::fill;
use super::grid::{self, FP32_BITS, LOWEST};
use super::reference;
use super::sfpu::{Store, add, multiply, store};
use crate::DstWidth;
use crate::sfpu::Unary;

/// Error of the f64 functions that references are made of, in relation to their result.
const F64_FUNCTION: f64 = 4.0 * f64::EPSILON;

/// Operands between which the legacy square root by Newton's method neither under- nor overflows.
const LEGACY_ROOT: std::ops::Range<f64> = 2.0 * LOWEST..0.5 / LOWEST;

/// How far a function's result is from the function of its operand, before a bf16 Dst rounds.
#[derive(Clone, Copy, Debug, Default)]
struct Accuracy {
    /// In steps of fp32 at the result.
    ulps: f64,
    /// As a share of the result.
    relative: f64,
    /// As a share of the operand.
    of_operand: f64,
    /// Regardless of either.
    absolute: f64,
}

const EXACT: Accuracy = Accuracy { ulps: 0.0, relative: 0.0, of_operand: 0.0, absolute: 0.0 };

const fn ulps(ulps: f64) -> Accuracy {
    Accuracy { ulps, ..EXACT }
}

const fn relative(relative: f64) -> Accuracy {
    Accuracy { relative, ..EXACT }
}

/// The largest error that was seen, and a quarter more.
const fn seen(error: f64) -> f64 {
    1.25 * error
}

/// What a unary SFPU function leaves in Dst. Scalars are fp32 patterns.
pub fn unary(op: Unary, width: DstWidth, x: Approx) -> Approx {
    if !x.is_finite() {
        return Approx::special();
    }
    let scalar = Approx::from_bits;
    match op {
        Unary::Rsqrt { approx, legacy, fast: _ } => rsqrt(width, approx, legacy, x),
        Unary::Sqrt { approx, fast: _ } => sqrt(width, approx, x),
        Unary::Recip { legacy } => recip(width, legacy, x),
        Unary::Exp { approx } => exp(width, approx, x),
        Unary::Square => multiply(width, Store::Truncate, x, x),
        Unary::Gelu { fast } => gelu(width, fast, x),
        Unary::Sigmoid => sigmoid(width, x),
        Unary::Silu => silu(width, x),
        Unary::Tanh => tanh(width, x),
        Unary::Log => log(width, x),
        Unary::Abs => grid::flush(x.abs()),
        Unary::Negative => grid::flush(-x),
        Unary::Fill(bits) => fill(width, bits),
        Unary::AddScalar(bits) => add(width, x, scalar(bits)),
        Unary::SubScalar(bits) => add(width, x, -scalar(bits)),
        Unary::MulScalar(bits) | Unary::DivScalar(bits) => {
            multiply(width, Store::Truncate, x, scalar(bits))
        }
        Unary::RsubScalar(bits) => {
            store(width, Store::Nearest, add(DstWidth::Bits32, scalar(bits), -x))
        }
    }
}

/// The value of a monotonic function, and the operand's error seen through it.
fn monotonic(function: impl Fn(f64) -> f64, x: Approx) -> Approx {
    let value = function(x.value);
    let below = (value - function(x.value - x.error)).abs();
    let above = (value - function(x.value + x.error)).abs();
    Approx::computed(value, below.max(above))
}

/// The value of a function whose slope never exceeds `slope`.
fn sloped(function: impl Fn(f64) -> f64, slope: f64, x: Approx) -> Approx {
    Approx::computed(function(x.value), x.error * slope)
}

/// A function of `x` with its own error, stored.
fn finish(width: DstWidth, how: Store, accuracy: Accuracy, x: Approx, result: Approx) -> Approx {
    let most = result.most();
    let own = accuracy.ulps * grid::step(most, FP32_BITS)
        + (accuracy.relative + F64_FUNCTION) * most
        + accuracy.of_operand * x.most()
        + accuracy.absolute;
    store(width, how, Approx::computed(result.value, result.error + own))
}

fn rsqrt(width: DstWidth, approx: bool, legacy: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    let is_in_range = LEGACY_ROOT.contains(&(x.value - x.error)) && x.most() < LEGACY_ROOT.end;
    if x.value <= x.error || (legacy && !is_in_range) {
        return Approx::special(); // Zero gives infinity, negative values NaN.
    }
    let accuracy = match (legacy, approx, width) {
        (false, false, DstWidth::Bits32) => ulps(1.116),
        (false, false, DstWidth::Bits16) => EXACT, // Correctly rounded.
        (false, true, DstWidth::Bits16 | DstWidth::Bits32) => relative(8.81e-4),
        (true, _, DstWidth::Bits32) => relative(1.5e-3),
        (true, _, DstWidth::Bits16) => relative(6.0e-3),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(|x| x.sqrt().recip(), x))
}

fn sqrt(width: DstWidth, approx: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.value <= x.error {
        // The sign bit decides (7.3): -0 gives NaN, and no value says which zero it is.
        return Approx::special();
    }
    let accuracy = match (approx, width) {
        (false, DstWidth::Bits32) => ulps(0.868),
        (false, DstWidth::Bits16) => EXACT, // Correctly rounded.
        (true, DstWidth::Bits16 | DstWidth::Bits32) => relative(8.81e-4),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(f64::sqrt, x))
}

fn recip(width: DstWidth, legacy: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.least() == 0.0 {
        return Approx::special();
    }
    let accuracy = match (legacy, width) {
        // Blackhole drops a correction below the normal range.
        (false, DstWidth::Bits32) => Accuracy { absolute: 2.0 * LOWEST, ..ulps(0.893) },
        (false, DstWidth::Bits16) => relative(6.2e-5), // One Newton step less than in fp32.
        (true, DstWidth::Bits16 | DstWidth::Bits32) => relative(1.5e-3),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(f64::recip, x))
}

fn exp(width: DstWidth, approx: bool, x: Approx) -> Approx {
    let accuracy = match (approx, width) {
        (false, DstWidth::Bits32) => relative(seen(7.5e-8)),
        (false, DstWidth::Bits16) => relative(1.85e-3),
        (true, DstWidth::Bits16 | DstWidth::Bits32) => relative(3.2e-2),
    };
    let how = if approx { Store::Truncate } else { Store::Nearest };
    finish(width, how, accuracy, x, monotonic(f64::exp, x))
}

fn log(width: DstWidth, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.value <= x.error {
        return Approx::special();
    }
    let accuracy = match width {
        DstWidth::Bits32 => ulps(seen(0.95)),
        DstWidth::Bits16 => relative(1.17e-3),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(f64::ln, x))
}

fn tanh(width: DstWidth, x: Approx) -> Approx {
    let accuracy = match width {
        DstWidth::Bits32 => ulps(seen(2.8)),
        DstWidth::Bits16 => relative(1.22e-3),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(f64::tanh, x))
}

fn sigmoid(width: DstWidth, x: Approx) -> Approx {
    let accuracy = match width {
        DstWidth::Bits32 => ulps(seen(3.1)),
        DstWidth::Bits16 => relative(1.68e-3),
    };
    finish(width, Store::Nearest, accuracy, x, monotonic(reference::sigmoid, x))
}

fn silu(width: DstWidth, x: Approx) -> Approx {
    // The sigmoid is flushed before it is multiplied by x.
    let accuracy = match width {
        DstWidth::Bits32 => Accuracy { ulps: seen(3.11), of_operand: LOWEST, ..EXACT },
        DstWidth::Bits16 => Accuracy { relative: 1.75e-3, of_operand: LOWEST, ..EXACT },
    };
    finish(width, Store::Nearest, accuracy, x, sloped(reference::silu, 1.1, x))
}

fn gelu(width: DstWidth, fast: bool, x: Approx) -> Approx {
    // x is multiplied by (1 + erf) / 2, whose error is absolute; far left both are cut off.
    let accuracy = match (fast, width) {
        (false, DstWidth::Bits32) => Accuracy { of_operand: seen(2.21e-7), ..EXACT },
        (false, DstWidth::Bits16) => Accuracy { relative: 3.2e-3, of_operand: 1.7e-8, ..EXACT },
        (true, DstWidth::Bits16 | DstWidth::Bits32) => Accuracy { absolute: 2.35e-2, ..EXACT },
    };
    let how = if fast { Store::Truncate } else { Store::Nearest };
    finish(width, how, accuracy, x, sloped(reference::gelu, 1.13, x))
}
