//! The vector engine: functions of one or two Dst tiles, lane by lane.
//!
//! Every function is what the compute API's call leaves in Dst, rounding by program and by store
//! included. Undefined rows of Dst are the caller's knowledge.

use crate::{DstWidth, Lanes};

pub mod lane;

pub use lane::fma;

/// A function of one tile. Scalars are fp32 patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Reciprocal square root; `fast` skips the NaN for negative inputs.
    Rsqrt {
        /// One Newton step instead of two.
        approx: bool,
        /// The older algorithm, by way of Dst.
        legacy: bool,
        /// Skip the NaN for negative inputs.
        fast: bool,
    },
    /// Square root; `fast` skips the NaN for negative inputs.
    Sqrt {
        /// One Newton step instead of two.
        approx: bool,
        /// Skip the NaN for negative inputs.
        fast: bool,
    },
    /// Reciprocal; `recip_tile` is `legacy` by default.
    Recip {
        /// The older algorithm.
        legacy: bool,
    },
    /// Exponential.
    Exp {
        /// Schraudolph's approximation, inputs clamped from below.
        approx: bool,
    },
    /// x * x.
    Square,
    /// Gaussian error linear unit.
    Gelu {
        /// By table.
        fast: bool,
    },
    /// Logistic function.
    Sigmoid,
    /// x times the logistic function of x.
    Silu,
    /// Hyperbolic tangent.
    Tanh,
    /// Natural logarithm.
    Log,
    /// Absolute value.
    Abs,
    /// Negation.
    Negative,
    /// The given value everywhere.
    Fill(u32),
    /// x + scalar.
    AddScalar(u32),
    /// x - scalar.
    SubScalar(u32),
    /// x * scalar.
    MulScalar(u32),
    /// x * scalar: the caller passes the reciprocal.
    DivScalar(u32),
    /// scalar - x.
    RsubScalar(u32),
}

/// A function of two tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// x + y.
    Add,
    /// x - y.
    Sub,
    /// x * y.
    Mul,
    /// x / y.
    Div,
    /// y - x.
    Rsub,
    /// The larger in the total order of bit patterns.
    Max,
    /// The smaller in the total order of bit patterns.
    Min,
}

/// What a mask writes where the mask tile is +0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mask {
    /// +0 (`mask_tile`).
    Zero,
    /// +Inf (`mask_posinf_tile`).
    PositiveInfinity,
}

/// Replaces every value of a Dst tile by its function.
pub fn unary(op: Unary, width: DstWidth, tile: &mut Lanes) {
    let _ = (op, width, tile);
    unimplemented!()
}

/// Writes `op(x, y)` to `out`.
pub fn binary(op: Binary, width: DstWidth, x: &Lanes, y: &Lanes, out: &mut Lanes) {
    let _ = (op, width, x, y, out);
    unimplemented!()
}

/// Replaces `x` by `op(x, y)`.
pub fn binary_into_first(op: Binary, width: DstWidth, x: &mut Lanes, y: &Lanes) {
    let _ = (op, width, x, y);
    unimplemented!()
}

/// Replaces `y` by `op(x, y)`.
pub fn binary_into_second(op: Binary, width: DstWidth, x: &Lanes, y: &mut Lanes) {
    let _ = (op, width, x, y);
    unimplemented!()
}

/// Overwrites `data` where the mask tile is exactly +0.
pub fn mask(kind: Mask, width: DstWidth, data: &mut Lanes, mask: &Lanes) {
    let _ = (kind, width, data, mask);
    unimplemented!()
}
