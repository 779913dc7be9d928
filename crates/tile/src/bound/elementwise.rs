//! Element-wise FPU operations: ELWADD, ELWSUB, ELWMUL and the copy (4.2, 4.3, section 5).
//!
//! Operands are what the source registers hold in their configured formats; see `convert` for
//! how they got there.

use super::Growth;
use super::accumulate::{Accumulator, Term};
use super::approx::Approx;
use super::dot::Multiplication;
use super::grid::{self, TF32_BITS};
use super::source::{PHASE_SHIFT, Product, is_below_range, significant_bits};
use crate::{DataFormat, DstWidth, SourceFormats};

/// The largest partial product that has an exponent field of zero: below 4·2^-127 (4.3).
const DROPPED_PRODUCT: f64 = 2.0 * grid::LOWEST;

/// `add_tiles` without accumulation: `a + b` by the adder of 11 bits.
pub fn add_sources(width: DstWidth, formats: SourceFormats, a: Approx, b: Approx) -> Approx {
    let mut sum = Accumulator::new(width, Growth::Worst, Approx::ZERO);
    sum.add_sources(formats, a, b);
    sum.approx()
}

/// `sub_tiles` without accumulation: `a - b` by the adder of 11 bits.
pub fn subtract_sources(width: DstWidth, formats: SourceFormats, a: Approx, b: Approx) -> Approx {
    add_sources(width, formats, a, -b)
}

/// `mul_tiles`: `dst + a * b`, phase by phase.
pub fn multiply_sources(
    width: DstWidth,
    multiplication: Multiplication,
    a: Approx,
    b: Approx,
    dst: Approx,
) -> Approx {
    let mut sum = Accumulator::new(width, Growth::Worst, dst);
    sum.add_product(multiplication, a, b);
    sum.approx()
}

/// `copy_tile` through SrcA: the source as it is; denormals become zero (4.6, section 5).
///
/// Tf32 sources go with a 32-bit Dst: a 16-bit one would cut them once more.
pub fn copy(x: Approx) -> Approx {
    grid::flush(x)
}

impl Accumulator {
    /// ELWADD with `acc_to_dest`: adds `a + b` (4.2). Negate `b` for ELWSUB.
    pub fn add_sources(&mut self, formats: SourceFormats, a: Approx, b: Approx) {
        let (a, b) = (masked(a, formats.a), masked(b, formats.b));
        self.charge(a.error + b.error);
        let most = grid::exponent(a.most().max(b.most()));
        let least = grid::exponent(a.least().max(b.least()));
        let lowest_a = grid::lowest_bit_of(a, significant_bits(formats.a));
        let lowest_b = grid::lowest_bit_of(b, significant_bits(formats.b));
        // The smaller operand is rounded, half up, to the larger one's tf32 unit.
        let unit = most - (TF32_BITS - 1);
        let smaller = a.most().min(b.most());
        if smaller != 0.0 && lowest_a.min(lowest_b) < unit {
            let sign = if a.most() < b.most() { a.value.signum() } else { b.value.signum() };
            let grain = grid::grain(lowest_a.min(lowest_b));
            self.charge_alignment(smaller, grid::power(unit), grain, sign);
        }
        let term = Term {
            most: a.most() + b.most(),
            lowest_bit: lowest_a.min(lowest_b).max(least - (TF32_BITS - 1)),
            exponent_most: most,
            exponent_least: least,
        };
        let (sum, lost) = grid::sum(a.value, b.value);
        self.charge(lost);
        self.add_terms([term, Term::NONE], sum, (0.0, 0.0));
    }

    /// ELWMUL: adds `a * b` in the phases of the fidelity (4.3).
    pub fn add_product(&mut self, multiplication: Multiplication, a: Approx, b: Approx) {
        let product = Product::new(multiplication.formats, a, b);
        self.charge(product.carried);
        let phases = multiplication.fidelity.phases() as usize;
        self.charge(product.missing[phases - 1]);
        let is_in_range = !is_below_range(product.exponent_least - PHASE_SHIFT[phases - 1]);
        if is_in_range && self.add_without_rounding(product.value, product.all(phases)) {
            return;
        }
        for phase in 0..phases {
            let term = self.partial_product(&product, phase);
            let (value, before) = match phase {
                0 => (product.value, 0.0),
                _ => (0.0, product.missing[phase - 1]),
            };
            self.add_terms([term, Term::NONE], value, (before, product.missing[phase]));
        }
    }

    /// A phase's partial product; the hardware drops it if its exponent field is not positive.
    fn partial_product(&mut self, product: &Product, phase: usize) -> Term {
        let part = product.parts[phase];
        let exponent_most = product.exponent_most - PHASE_SHIFT[phase];
        let exponent_least = product.exponent_least - PHASE_SHIFT[phase];
        if is_below_range(exponent_most) {
            self.charge(part.most);
            return Term::NONE;
        }
        if is_below_range(exponent_least) {
            self.charge(part.most.min(DROPPED_PRODUCT));
        }
        Term { most: part.most, lowest_bit: part.lowest_bit, exponent_most, exponent_least }
    }
}

/// A source operand as the adder sees it: cut to the ALU's format, denormals zero.
///
/// Only an exact operand can have more bits than its format: a register that is known up to an
/// error is taken to be in its format already.
fn masked(x: Approx, format: DataFormat) -> Approx {
    let x = grid::flush(x);
    if x.is_exact() { grid::truncate(x, significant_bits(format)) } else { x }
}
