//! The vector engine: functions of one or two Dst tiles, lane by lane.
//!
//! Every function is what the compute API's call leaves in Dst, rounding by program and by store
//! included. Undefined rows of Dst are the caller's knowledge.

use crate::dispatch::{self, Kernel};
use crate::{DstWidth, Lanes};
use direct::Tiles;
use vector::{VECTOR_LANES, Vector};

mod direct;
mod exponential;
mod gelu;
mod host;
pub mod lane;
mod logarithm;
pub mod program;
mod reciprocal;
mod reduce;
mod root;
mod vector;

pub use lane::{Rounding, fma, stochastic_round};
pub use reduce::{Sum, sum};

/// The lanes of a tile that a program computes at a time.
type Chunk = [u32; VECTOR_LANES];

const HALF: u32 = 0x3f00_0000;
const TWO: u32 = 0x4000_0000;
const MINUS_ONE: u32 = 0xbf80_0000;

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
    if let Unary::Fill(value) = op {
        return tile.fill(lane::store(value, width.mask()));
    }
    if direct::unary(op, width, tile) {
        return;
    }
    for chunk in tile.as_chunks_mut::<VECTOR_LANES>().0 {
        let result = unary_program(op, width, &Vector(*chunk));
        store(&result, width, chunk);
    }
}

/// Writes `op(x, y)` to `out`.
pub fn binary(op: Binary, width: DstWidth, x: &Lanes, y: &Lanes, out: &mut Lanes) {
    apply(op, width, Tiles::Apart { x, y, out });
}

/// Replaces `x` by `op(x, y)`.
pub fn binary_into_first(op: Binary, width: DstWidth, x: &mut Lanes, y: &Lanes) {
    apply(op, width, Tiles::First { x, y });
}

/// Replaces `y` by `op(x, y)`.
pub fn binary_into_second(op: Binary, width: DstWidth, x: &Lanes, y: &mut Lanes) {
    apply(op, width, Tiles::Second { x, y });
}

/// One instruction directly, or the only program of two operands, the division.
fn apply(op: Binary, width: DstWidth, tiles: Tiles) {
    let divide = |x: &Chunk, y: &Chunk| reciprocal::divide(&Vector(*x), &Vector(*y), width);
    match direct::binary(op, width, tiles) {
        None => {}
        Some(Tiles::Apart { x, y, out }) => {
            let operands = x.as_chunks().0.iter().zip(y.as_chunks().0);
            for ((x, y), out) in operands.zip(out.as_chunks_mut().0) {
                store(&divide(x, y), width, out);
            }
        }
        Some(Tiles::First { x, y }) => {
            for (x, y) in x.as_chunks_mut().0.iter_mut().zip(y.as_chunks().0) {
                store(&divide(x, y), width, x);
            }
        }
        Some(Tiles::Second { x, y }) => {
            for (x, y) in x.as_chunks().0.iter().zip(y.as_chunks_mut().0) {
                store(&divide(x, y), width, y);
            }
        }
    }
}

/// Overwrites `data` where the mask tile is exactly +0.
pub fn mask(kind: Mask, width: DstWidth, data: &mut Lanes, mask: &Lanes) {
    let value = match kind {
        Mask::Zero => 0,
        Mask::PositiveInfinity => crate::bits::INFINITY,
    };
    dispatch::run(Masking { value: lane::store(value, width.mask()), data, mask });
}

fn unary_program(op: Unary, width: DstWidth, x: &Vector) -> Vector {
    match op {
        Unary::Rsqrt { legacy: true, approx: _, fast: _ } => root::rsqrt_legacy(x, width),
        Unary::Rsqrt { legacy: false, approx, fast } => root::rsqrt(x, approx, fast, width),
        Unary::Sqrt { approx, fast } => root::sqrt(x, approx, fast, width),
        Unary::Recip { legacy: true } => reciprocal::legacy_reciprocal(x, width),
        Unary::Recip { legacy: false } => reciprocal::recip(x, width),
        Unary::Exp { approx: true } => exponential::exp_approximate(x),
        Unary::Exp { approx: false } => exponential::exp(x, width),
        Unary::Square => vector::mul(x, x),
        Unary::Gelu { fast: true } => gelu::gelu_by_table(x),
        Unary::Gelu { fast: false } => gelu::gelu(x, width),
        Unary::Sigmoid => exponential::sigmoid(x, width),
        Unary::Silu => exponential::silu(x, width),
        Unary::Tanh => exponential::tanh(x, width),
        Unary::Log => logarithm::log(x, width),
        Unary::Abs => x.map(lane::absolute),
        Unary::Negative => x.map(|x| x ^ crate::bits::SIGN),
        Unary::Fill(value) => Vector([value; VECTOR_LANES]),
        Unary::AddScalar(scalar) => vector::add(x, scalar),
        Unary::SubScalar(scalar) => vector::sub(x, scalar),
        Unary::MulScalar(scalar) | Unary::DivScalar(scalar) => vector::mul(x, scalar),
        Unary::RsubScalar(scalar) => rounded_even(vector::sub(scalar, x), width),
    }
}

fn rounded_even(x: Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => x.map(lane::nearest_even_bfloat16),
        DstWidth::Bits32 => x,
    }
}

/// SFPSTORE of every lane.
fn store(result: &Vector, width: DstWidth, out: &mut Chunk) {
    dispatch::run(Store { result, width_mask: width.mask(), out });
}

struct Store<'a> {
    result: &'a Vector,
    width_mask: u32,
    out: &'a mut Chunk,
}

impl Kernel for Store<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (out, &x) in self.out.iter_mut().zip(&self.result.0) {
            *out = lane::store(x, self.width_mask);
        }
    }
}

struct Masking<'a> {
    value: u32,
    data: &'a mut Lanes,
    mask: &'a Lanes,
}

impl Kernel for Masking<'_> {
    type Output = ();
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for (data, &mask) in self.data.iter_mut().zip(self.mask) {
            *data = if mask == 0 { self.value } else { *data };
        }
    }
}
