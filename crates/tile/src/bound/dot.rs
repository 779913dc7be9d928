//! DOT16 (4.4): groups of eight products without guard bits; matmul and the sum reductions (5.1,
//! 5.2).
//!
//! Which tile holds which operand is the caller's knowledge; here a dot product is two slices.

use super::accumulate::{Accumulator, Term};
use super::approx::Approx;
use super::convert::move_to_source;
use super::grid;
use super::source::{PHASE_SHIFT, Product, is_below_range};
use crate::{Fidelity, SourceFormats};

/// Products that are rounded to a common unit.
const GROUP: usize = 8;

/// Products of one instruction: two groups, which meet in ACCUMULATE.
const DOT: usize = 2 * GROUP;

/// Exponent of a group's unit below its largest product exponent.
pub(super) const UNIT_SHIFT: i32 = 10;

/// What a group whose exponents are all below the range can hold: 8 products below 4·2^-127.
const DROPPED_GROUP: f64 = 16.0 * grid::LOWEST;

/// How the FPU multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplication {
    /// The phases executed.
    pub fidelity: Fidelity,
    /// Formats of SrcA and SrcB as the ALU is configured.
    pub formats: SourceFormats,
}

/// Eight products as ACCUMULATE's term, phase by phase.
#[derive(Clone, Copy)]
struct Group {
    terms: [Term; 4],
}

/// One DOT16 in all its phases.
#[derive(Clone, Copy)]
struct Dot {
    groups: [Group; 2],
    value: f64,
    missing: [f64; 4],
}

impl Accumulator {
    /// Adds Σ `a[k]`·`b[k]`, `a` in SrcA and `b` in SrcB, 16 or 32 products.
    ///
    /// Phases are the outer loop, as in one call of `matmul_tiles` (32 products: in1 is `a`, in0
    /// is `b`) and in the reductions.
    pub fn add_dot(&mut self, multiplication: Multiplication, a: &[Approx], b: &[Approx]) {
        assert!(a.len() == b.len() && (a.len() == DOT || a.len() == 2 * DOT), "16 or 32 products");
        let mut dots = [Dot::NONE; 2];
        let count = a.len() / DOT;
        for (dot, (a, b)) in dots.iter_mut().zip(a.chunks(DOT).zip(b.chunks(DOT))) {
            *dot = self.prepare(multiplication, a, b);
        }
        let phases = multiplication.fidelity.phases() as usize;
        self.charge(dots.iter().map(|dot| dot.missing[phases - 1]).sum());
        let (value, lost) = grid::sum(dots[0].value, dots[1].value);
        if self.add_without_rounding(value, Dot::all(&dots[..count], phases)) {
            return self.charge(lost);
        }
        let mut missing = 0.0;
        for phase in 0..phases {
            for dot in &dots[..count] {
                let (value, so_far) = match phase {
                    0 => (dot.value, 0.0),
                    _ => (0.0, dot.missing[phase - 1]),
                };
                let after = missing - so_far + dot.missing[phase];
                let terms = [dot.groups[0].terms[phase], dot.groups[1].terms[phase]];
                self.add_terms(terms, value, (missing, after));
                missing = after;
            }
        }
    }

    /// REDUCE_ROW, SUM: adds a row of 32 values times the scaler; the data is in SrcB.
    pub fn add_row(&mut self, multiplication: Multiplication, row: &[Approx; 32], scaler: Approx) {
        self.add_dot(multiplication, &[scaler; 32], row);
    }

    /// REDUCE_COL, SUM: adds a column of 32 values times the scaler; the data is in SrcA.
    ///
    /// The two faces come one after the other, each in all phases.
    pub fn add_column(
        &mut self,
        multiplication: Multiplication,
        column: &[Approx; 32],
        scaler: Approx,
    ) {
        for face in column.chunks(DOT) {
            self.add_dot(multiplication, face, &[scaler; DOT]);
        }
    }

    /// REDUCE_SCALAR, SUM: adds a tile, in face order, times the scaler *squared*.
    ///
    /// Columns of faces are summed first, then moved to SrcA, which truncates (4.6), and summed.
    pub fn add_tile(
        &mut self,
        multiplication: Multiplication,
        tile: &[Approx; crate::TILE_VALUES],
        scaler: Approx,
    ) {
        let scalers = [scaler; DOT];
        let mut excursion = 0.0;
        let sums: [Approx; DOT] = std::array::from_fn(|q| {
            let mut sum = self.restarted();
            for face in tile.chunks(DOT * DOT) {
                let column: [Approx; DOT] = std::array::from_fn(|k| face[k * DOT + q]);
                sum.add_dot(multiplication, &column, &scalers);
            }
            excursion += sum.excursion();
            let sum = sum.approx_without_excursion();
            grid::flush(move_to_source(self.width(), multiplication.formats.a, sum))
        });
        // The move and the second scaler round a displaced sum by less than all of it.
        self.charge_excursion(2.0 * excursion * scaler.most());
        self.add_dot(multiplication, &sums, &scalers);
    }

    /// Charges what happens inside the groups, and returns what reaches ACCUMULATE.
    fn prepare(&mut self, multiplication: Multiplication, a: &[Approx], b: &[Approx]) -> Dot {
        let phases = multiplication.fidelity.phases() as usize;
        let mut dot = Dot::NONE;
        for (group, (a, b)) in dot.groups.iter_mut().zip(a.chunks(GROUP).zip(b.chunks(GROUP))) {
            let products: [Product; GROUP] =
                std::array::from_fn(|k| Product::new(multiplication.formats, a[k], b[k]));
            for product in &products {
                self.charge(product.carried);
                let (sum, lost) = grid::sum(dot.value, product.value);
                self.charge(lost);
                dot.value = sum;
                for (missing, more) in dot.missing.iter_mut().zip(product.missing) {
                    *missing += more;
                }
            }
            for phase in 0..phases {
                group.terms[phase] = self.group_term(&products, phase);
            }
        }
        dot
    }

    /// Rounds the products of a phase to the unit of the largest exponent, half up in magnitude.
    fn group_term(&mut self, products: &[Product; GROUP], phase: usize) -> Term {
        let shift = PHASE_SHIFT[phase];
        let fold = |of: fn(&Product) -> i32| products.iter().map(of).max().unwrap_or(0) - shift;
        let exponent_most = fold(|product| product.exponent_most);
        let exponent_least = fold(|product| product.exponent_least);
        let most: f64 = products.iter().map(|product| product.parts[phase].most).sum();
        if is_below_range(exponent_most) {
            self.charge(most);
            return Term::NONE;
        }
        if is_below_range(exponent_least) {
            self.charge(most.min(DROPPED_GROUP));
        }
        let unit = exponent_most - UNIT_SHIFT;
        let mut lowest_bit = i32::MAX / 2;
        let mut rounded = 0.0;
        for product in products {
            let part = product.parts[phase];
            lowest_bit = lowest_bit.min(part.lowest_bit);
            if part.lowest_bit < unit {
                let (unit, grain) = (grid::power(unit), grid::grain(part.lowest_bit));
                self.charge_alignment(part.most, unit, grain, product.value.signum());
                rounded += unit / 2.0;
            }
        }
        let lowest_bit = lowest_bit.max(exponent_least - UNIT_SHIFT);
        Term { most: most + rounded, lowest_bit, exponent_most, exponent_least }
    }
}

impl Dot {
    const NONE: Dot =
        Dot { groups: [Group { terms: [Term::NONE; 4] }; 2], value: 0.0, missing: [0.0; 4] };

    /// All terms as one, for sums in which their order does not matter.
    fn all(dots: &[Dot], phases: usize) -> Term {
        let terms = dots.iter().flat_map(|dot| &dot.groups).flat_map(|g| &g.terms[..phases]);
        terms.fold(Term::NONE, |all, term| Term {
            most: all.most + term.most,
            lowest_bit: all.lowest_bit.min(term.lowest_bit),
            exponent_most: all.exponent_most.max(term.exponent_most),
            exponent_least: all.exponent_least.max(term.exponent_least),
        })
    }
}
