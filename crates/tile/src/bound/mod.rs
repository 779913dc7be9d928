//! How far a device value may lie from the exact one: error bounds, one hardware step at a time.
//!
//! An [`Approx`] is an exact mathematical value and a bound on how far the register that holds it
//! is from it. Every function here stands for one step of the hardware: it takes the operands and
//! the configuration of the step, and returns the `Approx` of the result: the operands' errors
//! carried through, and the step's own rounding at the largest magnitude the device value can
//! have. Nothing is measured on the data that is judged, and no tolerance is chosen by hand, with
//! one exception: accuracies of SFPU functions that 7.5 does not give are measured (`unary`).
//! Sections in comments are those of the numerics specification.
//!
//! Computes no device value: those are in `fpu`, `sfpu`, `unpack` and `pack`. NaN and infinities
//! have no bound and are judged by their bits ([`Approx::special`]).
//!
//! Steps on long sums go through an [`Accumulator`], which keeps truncations apart from
//! nearest roundings, so that the latter may be taken at their worst or statistically
//! ([`Growth`]).
//!
//! # The bounds
//!
//! With m the largest magnitude (|value| + error) and ⌊m⌋ the power of two at or below it:
//!
//! - Unpack of fp32, or fp32 Dst to a source: ⌊m⌋·2^-10 to tf32, ⌊m⌋·2^-7 to bf16, towards zero
//!   (sections 3, 4.6).
//! - ELWADD, ELWSUB: the smaller operand to half of 2^-10 of the larger's ⌊m⌋, then ACCUMULATE
//!   (4.2).
//! - ELWMUL: the partial products left out, with a = a₁+a₂+a₃ of 5, 5 and 1 bits and b = b₁+b₂ of
//!   7 and 4: a₃b in HiFi4; a₃b + a₂b₂ in HiFi3; ab₂ + a₃b₁ in HiFi2; ab₂ + (a₂+a₃)b₁ in LoFi. Each
//!   phase is one ACCUMULATE (4.3).
//! - DOT16: each product of a group of eight, in each phase, to half of 2^-10 of the power of two
//!   of the largest exponent; what ELWMUL leaves out; one ACCUMULATE a phase (4.4).
//! - ACCUMULATE onto fp32: each shifted addend to half of 2^-23 of 2^X, the power of two of the
//!   largest exponent; half of 2^-23·⌊m⌋ if the sum exceeds that; 2^(X+4) if the sum may be -1 unit
//!   (4.1).
//! - ACCUMULATE onto bf16: each addend to half of 2^-10 of 2^X, then half of 2^-7·⌊m⌋ (4.1).
//! - SFPU sums and products: half of 2^-23·⌊m⌋; a bf16 store adds 2^-7·⌊m⌋, or half of it where the
//!   function rounds before it stores (7.1, 7.5). Other functions: the accuracies in `unary` (7.5).
//! - Pack: half of 2^-7·⌊m⌋ to bf16; 2^-7·⌊m⌋ and half of 2^-6 of the block's largest ⌊m⌋ to Bfp8;
//!   nothing to fp32; half a step of the format for accumulation in L1 (6).
//! - A denormal that becomes zero: 2^-126, times what it is multiplied by.
//!
//! None of it is charged where it cannot happen: operands that are exact round by their known
//! distance, a rounding never moves a sum further than what was added to a representable value,
//! and the lowest bit that values can have set is followed through sums, so that what fits is
//! exact. A value that may reach the largest bf16 has no bound.

mod accumulate;
mod approx;
mod convert;
mod dot;
mod dot_quads;
mod elementwise;
mod factor;
mod grid;
mod lanes;
mod pack;
mod quad;
mod reference;
mod sfpu;
mod source;
mod unary;

pub use accumulate::Accumulator;
pub use approx::Approx;
pub use convert::{fill, mask, mask_source, maximum, minimum, move_to_source, unpack};
pub use dot::Multiplication;
pub use dot_quads::{DEPTH, DotSums};
pub use elementwise::{add_sources, copy, multiply_sources, subtract_sources};
pub use factor::{Extent, Four, Single};
pub use lanes::{
    AccumulatorLanes, ApproxLanes, LANES, binary_lanes, binary_lanes_to, pack_lanes, pack_lanes_to,
};
pub use pack::{accumulate_in_l1, pack, pack_block, relu};
pub use quad::QUAD;
pub use reference::{erf, erfc, gelu, sigmoid, silu};
pub use sfpu::binary;
pub use unary::unary;

/// How the nearest roundings of a long sum add up.
///
/// Truncations always point towards zero, so that they add up linearly in either case. So do
/// all roundings of a bf16 Dst: a running sum of 8 bits swallows small terms whole, each time in
/// the same direction, and nothing about that is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Growth {
    /// Every rounding at its worst, all in one direction: n·u. Never exceeded.
    Worst,
    /// Nearest roundings as independent errors: the mean that ties away from zero give them,
    /// plus [`LAMBDA`]·√n·u. Holds where the bits that are rounded away vary from term to term;
    /// *not* for constant or few-valued data, whose roundings all go the same way. It leaves out
    /// the silicon's renormalisation fault ([`Accumulator::excursion`]).
    Statistical,
}

/// Standard deviations that a statistical bound allows.
///
/// By Hoeffding's inequality the sum of independent errors of mean zero with |εᵢ| ≤ cᵢ exceeds
/// λ·√Σcᵢ² with probability at most 2·exp(-λ²/2): 3·10⁻⁸ for λ = 6. Rounding errors spread over
/// their range have a third of that variance, which leaves 10 of their own deviations.
pub const LAMBDA: f64 = 6.0;
