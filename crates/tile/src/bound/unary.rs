//! SFPU functions of one operand (7.5, 7.6): the documented accuracy, and the operand's error
//! carried through the function.

use super::approx::Approx;
use super::convert::fill;
use super::grid::{self, FP32_BITS, LOWEST};
use super::reference;
use super::sfpu::{Store, add, multiply, store};
use crate::DstWidth;
use crate::sfpu::Unary;

/// How far a function's result is from the function of its operand, before a bf16 Dst rounds.
#[derive(Clone, Copy, Debug)]
struct Accuracy {
    /// In steps of fp32 at the result.
    ulps: f64,
    /// As a share of the result.
    relative: f64,
    /// Regardless of the result.
    absolute: f64,
}

const fn ulps(ulps: f64) -> Accuracy {
    Accuracy { ulps, relative: 0.0, absolute: 0.0 }
}

const fn relative(relative: f64) -> Accuracy {
    Accuracy { ulps: 0.0, relative, absolute: 0.0 }
}

/// What a unary SFPU function leaves in Dst. Scalars are fp32 patterns.
pub fn unary(op: Unary, width: DstWidth, x: Approx) -> Approx {
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

/// Adds the function's own error and stores.
fn finish(width: DstWidth, how: Store, accuracy: Accuracy, x: Approx) -> Approx {
    let own = accuracy.ulps * grid::step(x.most(), FP32_BITS)
        + accuracy.relative * x.most()
        + accuracy.absolute;
    store(width, how, Approx::computed(x.value, x.error + own))
}

fn rsqrt(width: DstWidth, approx: bool, legacy: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.value <= x.error {
        return Approx::special(); // Zero gives infinity, negative values NaN.
    }
    let accuracy = match (legacy, approx, width) {
        (false, false, DstWidth::Bits32) => ulps(1.115),
        (false, false, DstWidth::Bits16) => ulps(1.115),
        (false, true, DstWidth::Bits16 | DstWidth::Bits32) => relative(8.8e-4),
        (true, _, DstWidth::Bits32) => relative(1.5e-3),
        (true, _, DstWidth::Bits16) => relative(8.5e-3),
    };
    finish(width, Store::Nearest, accuracy, monotonic(|x| x.sqrt().recip(), x))
}

fn sqrt(width: DstWidth, approx: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.value < x.error {
        return Approx::special();
    }
    let accuracy = if approx { relative(8.8e-4) } else { ulps(0.867) };
    finish(width, Store::Nearest, accuracy, monotonic(f64::sqrt, x))
}

fn recip(width: DstWidth, legacy: bool, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.least() == 0.0 {
        return Approx::special();
    }
    let accuracy = match (legacy, width) {
        (false, DstWidth::Bits32) => ulps(0.892),
        (false, DstWidth::Bits16) => relative(1e-4),
        (true, DstWidth::Bits16 | DstWidth::Bits32) => relative(1.5e-3),
    };
    finish(width, Store::Nearest, accuracy, monotonic(f64::recip, x))
}

fn exp(width: DstWidth, approx: bool, x: Approx) -> Approx {
    let accuracy = match (approx, width) {
        (true, DstWidth::Bits16 | DstWidth::Bits32) => relative(0.03),
        (false, DstWidth::Bits32) => relative(1.3e-7),
        (false, DstWidth::Bits16) => relative(2e-3),
    };
    let how = if approx { Store::Truncate } else { Store::Nearest };
    finish(width, how, accuracy, monotonic(f64::exp, x))
}

fn log(width: DstWidth, x: Approx) -> Approx {
    let x = grid::flush(x);
    if x.value <= x.error {
        return Approx::special();
    }
    let accuracy = match width {
        DstWidth::Bits32 => ulps(2.0),
        DstWidth::Bits16 => relative(2e-3),
    };
    finish(width, Store::Nearest, accuracy, monotonic(f64::ln, x))
}

fn tanh(width: DstWidth, x: Approx) -> Approx {
    let accuracy = match width {
        DstWidth::Bits32 => ulps(2.0),
        DstWidth::Bits16 => relative(4e-3),
    };
    finish(width, Store::Nearest, accuracy, monotonic(f64::tanh, grid::flush(x)))
}

fn sigmoid(width: DstWidth, x: Approx) -> Approx {
    let accuracy = match width {
        DstWidth::Bits32 => ulps(2.0),
        DstWidth::Bits16 => relative(4e-3),
    };
    finish(width, Store::Nearest, accuracy, monotonic(reference::sigmoid, grid::flush(x)))
}

fn silu(width: DstWidth, x: Approx) -> Approx {
    let accuracy = match width {
        DstWidth::Bits32 => ulps(3.0),
        DstWidth::Bits16 => relative(4e-3),
    };
    finish(width, Store::Nearest, accuracy, sloped(reference::silu, 1.1, grid::flush(x)))
}

fn gelu(width: DstWidth, fast: bool, x: Approx) -> Approx {
    let accuracy = match (fast, width) {
        (true, DstWidth::Bits16 | DstWidth::Bits32) => {
            Accuracy { ulps: 0.0, relative: 0.0, absolute: 0.024 }
        }
        (false, DstWidth::Bits32) => Accuracy { ulps: 4.0, relative: 0.0, absolute: 2e-7 },
        (false, DstWidth::Bits16) => Accuracy { ulps: 0.0, relative: 4e-3, absolute: LOWEST },
    };
    let how = if fast { Store::Truncate } else { Store::Nearest };
    finish(width, how, accuracy, sloped(reference::gelu, 1.13, grid::flush(x)))
}
