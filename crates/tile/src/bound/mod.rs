//! How far a device value may lie from the exact one: error bounds, one hardware step at a time.
//!
//! An [`Approx`] is an exact mathematical value and a bound on how far the register that holds it
//! is from it. Every function here stands for one step of the hardware: it takes the operands and
//! the configuration of the step, and returns the `Approx` of the result: the operands' errors
//! carried through, and the step's own rounding at the largest magnitude the device value can
//! have. Nothing is measured on the data that is judged, and no tolerance is chosen by hand.
//! Sections in comments are those of the numerics specification.
//!
//! Computes no device value: those are in `fpu`, `sfpu`, `unpack` and `pack`. NaN and infinities
//! have no bound and are judged by their bits ([`Approx::special`]).
//!
//! Steps on long sums go through an [`Accumulator`], which keeps truncations apart from
//! nearest roundings, so that the latter may be taken at their worst or statistically
//! ([`Growth`]).

mod accumulate;
mod approx;
mod convert;
mod dot;
mod elementwise;
mod grid;
mod pack;
mod reference;
mod sfpu;
mod source;
mod unary;

pub use accumulate::Accumulator;
pub use approx::Approx;
pub use convert::{fill, mask, mask_source, maximum, minimum, move_to_source, unpack};
pub use dot::Multiplication;
pub use elementwise::{add_sources, copy, multiply_sources, subtract_sources};
pub use pack::{accumulate_in_l1, pack, pack_block, relu};
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
