//! Operands as the multiplier takes them apart, and their products phase by phase (4.3).
//!
//! The multiplier sees 5 high and 5 low bits of SrcA (its lowest tf32 bit is never used), 7 high
//! and 4 low bits of SrcB. A fidelity is a choice of partial products; what it leaves out always
//! points towards zero. Rounding of the partial products is not here.

use super::accumulate::Term;
use super::approx::Approx;
use super::grid::{self, BF16_BITS, LOWEST_EXPONENT, NO_EXPONENT, TF32_BITS};
use crate::{DataFormat, SourceFormats};

/// How much smaller than the full product a phase's partial product is, as an exponent.
pub(super) const PHASE_SHIFT: [i32; 4] = [0, 5, 7, 12];

/// Significant bits of a source register of this format, the leading one included (section 2).
#[inline]
pub(super) fn significant_bits(format: DataFormat) -> i32 {
    match format {
        DataFormat::Tf32 => TF32_BITS,
        DataFormat::Float32 | DataFormat::Bfloat16 | DataFormat::Bfp8 => BF16_BITS,
        // None ever gets there: the unpacker refuses them.
        DataFormat::Integer(_) | DataFormat::Small(_) => 0,
    }
}

/// A part of a magnitude, or a product of two parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The largest it can be.
    pub most: f64,
    /// Exponent of the lowest bit it can have set.
    pub lowest_bit: i32,
}

impl Part {
    fn times(self, other: Part) -> Part {
        let lowest_bit = self.lowest_bit.saturating_add(other.lowest_bit);
        Part { most: self.most * other.most, lowest_bit }
    }
}

/// Which source register holds an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    A,
    B,
}

impl Side {
    /// Bits in the high part of an operand, and all that reach the multiplier.
    #[inline(always)]
    pub fn bits(self, format: DataFormat) -> (i32, i32) {
        let (high, kept) = match self {
            Side::A => (5, 10),
            Side::B => (7, 11),
        };
        (high, kept.min(significant_bits(format)))
    }
}

/// The magnitude of one operand, taken apart. For an exact operand all of it is exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    pub operand: Approx,
    exponent_most: i32,
    exponent_least: i32,
    pub most: f64,
    pub high: Part,
    pub low: Part,
    /// Bits that never reach the multiplier.
    pub lost: f64,
}

impl Split {
    pub fn new(operand: Approx, format: DataFormat, side: Side) -> Split {
        let operand = grid::flush(operand);
        let (high, kept) = side.bits(format);
        if operand.is_exact() {
            Split::exact(operand, high, kept)
        } else {
            Split::uncertain(operand, significant_bits(format), high, kept)
        }
    }

    fn exact(operand: Approx, high: i32, kept: i32) -> Split {
        let most = operand.most();
        let high = grid::cut(most, high);
        let low = grid::cut(most, kept) - high;
        Split {
            operand,
            exponent_most: grid::exponent(most),
            exponent_least: grid::exponent(most),
            most,
            high: Part { most: high, lowest_bit: grid::lowest_bit(high) },
            low: Part { most: low, lowest_bit: grid::lowest_bit(low) },
            lost: most - high - low,
        }
    }

    fn uncertain(operand: Approx, bits: i32, high: i32, kept: i32) -> Split {
        let most = operand.most();
        let exponent_most = grid::exponent(most);
        let exponent_least = grid::exponent(operand.least());
        // The largest number made of the bits after the first `from`, up to the first `to`.
        let bits_between =
            |from, to| grid::power(exponent_most - from + 1) - grid::power(exponent_most - to + 1);
        Split {
            operand,
            exponent_most,
            exponent_least,
            most,
            high: Part { most, lowest_bit: exponent_least - high + 1 },
            low: Part { most: bits_between(high, kept), lowest_bit: exponent_least - kept + 1 },
            lost: bits_between(kept, bits),
        }
    }
}

/// One product of sources, as far as a bound needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    /// The exact product of the exact operands.
    pub value: f64,
    /// The operands' errors, carried through.
    pub carried: f64,
    /// How much is still missing after each phase, towards zero.
    pub missing: [f64; 4],
    /// The partial product of each phase.
    pub parts: [Part; 4],
    /// The sum of the operands' exponents: at most, and at least.
    pub exponent_most: i32,
    /// The smallest sum of the operands' exponents.
    pub exponent_least: i32,
}

impl Product {
    /// A product with an exact zero: the hardware has no exponent for it either.
    const ZERO: Product = Product {
        value: 0.0,
        carried: 0.0,
        missing: [0.0; 4],
        parts: [Part { most: 0.0, lowest_bit: i32::MAX / 2 }; 4],
        exponent_most: NO_EXPONENT,
        exponent_least: NO_EXPONENT,
    };

    /// The product of `a` in SrcA and `b` in SrcB.
    pub fn new(formats: SourceFormats, a: Approx, b: Approx) -> Product {
        if (a == Approx::ZERO && b.is_finite()) || (b == Approx::ZERO && a.is_finite()) {
            return Product::ZERO;
        }
        let a = Split::new(a, formats.a, Side::A);
        let b = Split::new(b, formats.b, Side::B);
        let (x, y) = (a.operand, b.operand);
        let not_a_high = a.low.most + a.lost;
        let not_b_high = b.low.most + b.lost;
        // With A = a1 + a2 + a3 and B = b1 + b2 + b3 (3 is lost): AB less what phases have added.
        let missing = [
            a.most * not_b_high + not_a_high * b.high.most,
            a.most * not_b_high + a.lost * b.high.most,
            a.most * b.lost + a.lost * b.most + not_a_high * b.low.most,
            a.most * b.lost + a.lost * b.most,
        ];
        Product {
            value: x.value * y.value,
            carried: x.value.abs() * y.error + y.value.abs() * x.error + x.error * y.error,
            missing,
            parts: [
                a.high.times(b.high),
                a.low.times(b.high),
                a.high.times(b.low),
                a.low.times(b.low),
            ],
            exponent_most: a.exponent_most + b.exponent_most,
            exponent_least: a.exponent_least + b.exponent_least,
        }
    }
}

impl Product {
    /// All phases as one term, whose parts may come in any order.
    pub fn all(&self, phases: usize) -> Term {
        let parts = &self.parts[..phases];
        Term {
            most: parts.iter().map(|part| part.most).sum(),
            lowest_bit: parts.iter().fold(i32::MAX, |low, part| low.min(part.lowest_bit)),
            exponent_most: self.exponent_most,
            exponent_least: self.exponent_least,
        }
    }
}

/// True if a term of this exponent has an exponent field that the hardware takes for zero.
pub(super) fn is_below_range(exponent: i32) -> bool {
    exponent < LOWEST_EXPONENT
}
