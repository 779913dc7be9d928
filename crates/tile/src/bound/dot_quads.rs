//! Long dot products of exact operands, four sums at a time: `dot` and `accumulate` without
//! branches.
//!
//! Gives the bounds of [`Accumulator`](super::Accumulator) bit for bit, with
//! [`Growth::Worst`](super::Growth::Worst) and without the excursion. Exponents and lowest bits are
//! kept as powers of two: sums of exponents are products, their maxima the larger powers, and a
//! zero, which has no exponent, has the power 0. An exact operand has one exponent, not a least and
//! a largest one. Nothing else differs from the files that it follows, where the reasons are.

use super::accumulate::width_bits;
use super::dot::{Multiplication, UNIT_SHIFT};
use super::factor::{Factor, Four, Single};
use super::grid::{self, FP32_BITS};
use super::quad::{QUAD, Quad};
use super::source::PHASE_SHIFT;
use super::{Approx, accumulate};
use crate::DstWidth;
use crate::dispatch::{self, SimdLoop};

/// Products of one call of [`DotSums::add`]: as many as a tile is wide.
pub const DEPTH: usize = 32;

/// Products of one instruction, in two groups.
const DOT: usize = 16;
const GROUP: usize = 8;

/// Phases of the highest fidelity: with all of them, operands of which the multiplier takes every
/// bit leave nothing out.
const PHASES: usize = PHASE_SHIFT.len();

/// Four running sums of products, with what bounds their errors.
#[derive(Clone, Copy, Debug)]
pub struct DotSums {
    width: DstWidth,
    value: Quad,
    linear: Quad,
    nearest: Quad,
    grain: Quad,
    /// The sums of the stored operands' products, and what f64 lost in them (Neumaier).
    exact: Quad,
    exact_lost: Quad,
}

impl DotSums {
    /// Four zeros in a cleared Dst.
    pub fn new(width: DstWidth) -> DotSums {
        DotSums {
            width,
            value: Quad::ZERO,
            linear: Quad::ZERO,
            nearest: Quad::ZERO,
            grain: Quad::splat(f64::INFINITY),
            exact: Quad::ZERO,
            exact_lost: Quad::ZERO,
        }
    }

    /// Adds 32 products to each: `a` in SrcA and `b` in SrcB, as one call of `matmul_tiles` does.
    pub fn add(&mut self, how: Multiplication, a: &[Four; DEPTH], b: &[Single; DEPTH]) {
        self.add_as::<false>(how, a, b);
    }

    /// The same for sums of which [`Extent::is_whole_with`] says that f64 holds every partial sum,
    /// in which all products of the sums are counted: nothing needs to look for what f64 loses.
    ///
    /// [`Extent::is_whole_with`]: super::Extent::is_whole_with
    pub fn add_whole(&mut self, how: Multiplication, a: &[Four; DEPTH], b: &[Single; DEPTH]) {
        match how.fidelity.phases() as usize {
            PHASES => self.add_as::<true>(how, a, b),
            _ => self.add_as::<false>(how, a, b),
        }
    }

    fn add_as<const WHOLE: bool>(
        &mut self,
        how: Multiplication,
        a: &[Four; DEPTH],
        b: &[Single; DEPTH],
    ) {
        let phases = how.fidelity.phases() as usize;
        match self.width {
            DstWidth::Bits16 => {
                dispatch::run(AddDot::<WHOLE, false> { sums: self, phases, a, b });
            }
            DstWidth::Bits32 => dispatch::run(AddDot::<WHOLE, true> { sums: self, phases, a, b }),
        }
    }

    /// The running sums; see [`Accumulator::approx_without_excursion`].
    ///
    /// [`Accumulator::approx_without_excursion`]: super::Accumulator::approx_without_excursion
    pub fn approx(&self) -> [Approx; QUAD] {
        let error = self.error();
        std::array::from_fn(|at| Approx::computed(self.value.0[at], error.0[at]))
    }

    /// The sums of the stored operands' products, in f64.
    pub fn exact(&self) -> [f64; QUAD] {
        (self.exact + self.exact_lost).0
    }
}

/// `WHOLE` says that every sum of products is exact in f64, that registers hold what is stored,
/// that the multiplier takes every bit of it, and that there are all phases; `WIDE`, that Dst has
/// 32 bits.
struct AddDot<'a, const WHOLE: bool, const WIDE: bool> {
    sums: &'a mut DotSums,
    phases: usize,
    a: &'a [Four; DEPTH],
    b: &'a [Single; DEPTH],
}

impl<const WHOLE: bool, const WIDE: bool> SimdLoop for AddDot<'_, WHOLE, WIDE> {
    type Output = ();

    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        // A copy, which can stay in registers, and whose width the compiler knows.
        let width = if WIDE { DstWidth::Bits32 } else { DstWidth::Bits16 };
        let mut sums = DotSums { width, ..*self.sums };
        let phases = if WHOLE { PHASES } else { self.phases };
        let mut dots = [Dot::NONE; DEPTH / DOT];
        for (at, dot) in dots.iter_mut().enumerate() {
            let (a, b) = (&self.a[at * DOT..][..DOT], &self.b[at * DOT..][..DOT]);
            sums.prepare::<WHOLE>(phases, a, b, dot);
        }
        if WHOLE {
            sums.exact = sums.exact + (dots[0].value + dots[1].value);
        }
        sums.add_dots::<WHOLE>(phases, &dots);
        *self.sums = sums;
    }
}

/// What reaches ACCUMULATE of a group of products.
#[derive(Clone, Copy)]
struct Term {
    most: Quad,
    grain: Quad,
    binade: Quad,
}

#[derive(Clone, Copy)]
struct Dot {
    terms: [[Term; 4]; DOT / GROUP],
    value: Quad,
    missing: [Quad; 4],
}

impl Term {
    const NONE: Term =
        Term { most: Quad::ZERO, grain: Quad([f64::INFINITY; QUAD]), binade: Quad::ZERO };
}

impl Dot {
    const NONE: Dot =
        Dot { terms: [[Term::NONE; 4]; DOT / GROUP], value: Quad::ZERO, missing: [Quad::ZERO; 4] };
}

/// The f64 sums, and exactly what f64 lost in them, with its sign.
#[inline(always)]
fn sum(a: Quad, b: Quad) -> (Quad, Quad) {
    let sum = a + b;
    let added = sum - a;
    (sum, (a - (sum - added)) + (b - added))
}

/// The powers of two at or below magnitudes.
#[inline(always)]
fn binade(magnitude: Quad) -> Quad {
    magnitude.map(grid::binade)
}

impl DotSums {
    #[inline(always)]
    fn prepare<const WHOLE: bool>(
        &mut self,
        phases: usize,
        a: &[Four],
        b: &[Single],
        dot: &mut Dot,
    ) {
        for group in 0..DOT / GROUP {
            let (a, b) = (&a[group * GROUP..][..GROUP], &b[group * GROUP..][..GROUP]);
            let binade = self.multiply::<WHOLE>(&mut dot.value, a, b);
            let mut most = [Quad::ZERO; PHASES];
            most[0] = self.phase::<0, WHOLE>(dot, group, binade, a, b);
            if phases > 1 {
                most[1] = self.phase::<1, WHOLE>(dot, group, binade, a, b);
            }
            if phases > 2 {
                most[2] = self.phase::<2, WHOLE>(dot, group, binade, a, b);
            }
            if phases > 3 {
                most[3] = self.phase::<3, WHOLE>(dot, group, binade, a, b);
            }
            if WHOLE {
                // What a phase leaves out is what later ones add.
                dot.missing[2] = dot.missing[2] + most[3];
                dot.missing[1] = dot.missing[1] + (most[2] + most[3]);
                dot.missing[0] = dot.missing[0] + (most[1] + (most[2] + most[3]));
            }
        }
    }

    /// Adds the products of a group to `value`; returns the largest power of two of theirs.
    #[inline(always)]
    fn multiply<const WHOLE: bool>(&mut self, value: &mut Quad, a: &[Four], b: &[Single]) -> Quad {
        let mut largest = Quad::ZERO;
        for (Four(a), b) in a.iter().zip(b) {
            largest = largest.max(a.binade * b.binade);
            if WHOLE {
                *value = *value + a.value * b.value;
                continue;
            }
            let (next, lost) = sum(*value, a.value * b.value);
            self.linear = self.linear + lost.abs();
            *value = next;
            let (next, lost) = sum(self.exact, a.stored * b.stored);
            self.exact_lost = self.exact_lost + lost;
            self.exact = next;
        }
        largest
    }

    /// Rounds the products of a phase to the unit of the largest exponent, and adds up what is
    /// missing after it. Returns the sum of their magnitudes.
    #[inline(always)]
    fn phase<const PHASE: usize, const WHOLE: bool>(
        &mut self,
        dot: &mut Dot,
        group: usize,
        largest: Quad,
        a: &[Four],
        b: &[Single],
    ) -> Quad {
        let binade = largest * grid::power(-PHASE_SHIFT[PHASE]);
        let lowest = Quad::splat(grid::LOWEST);
        // Below the range nothing is rounded, because everything is dropped.
        let unit = binade.if_less(lowest, Quad::ZERO, binade * grid::power(-UNIT_SHIFT));
        let mut most = Quad::ZERO;
        let mut grain = Quad::splat(f64::INFINITY);
        for (Four(a), b) in a.iter().zip(b) {
            let part = part::<PHASE>(a, b);
            most = most + part.0;
            grain = part.1.min(grain);
            if !WHOLE {
                dot.missing[PHASE] = dot.missing[PHASE] + missing_after::<PHASE>(a, b);
            }
        }
        // The low parts of a group mostly lie in so few binades that nothing of them is rounded.
        let rounded = match grain.is_any_less(unit) {
            true => self.round_parts::<PHASE>(unit, a, b),
            false => Quad::ZERO,
        };
        self.linear = self.linear + binade.if_less(lowest, most, Quad::ZERO);
        let least = binade * grid::power(-UNIT_SHIFT);
        let none = Term::NONE;
        dot.terms[group][PHASE] = Term {
            most: binade.if_less(lowest, none.most, most + rounded),
            grain: binade.if_less(lowest, none.grain, grain.max(least)),
            binade: binade.if_less(lowest, none.binade, binade),
        };
        most
    }

    /// Charges the roundings of a phase's products to a unit; returns how much they can add.
    #[inline(always)]
    fn round_parts<const PHASE: usize>(&mut self, unit: Quad, a: &[Four], b: &[Single]) -> Quad {
        let half = unit * 0.5;
        let mut rounded = Quad::ZERO;
        for (Four(a), b) in a.iter().zip(b) {
            let part = part::<PHASE>(a, b);
            let half = part.1.if_less(unit, half, Quad::ZERO);
            rounded = rounded + half;
            self.linear = self.linear + part.0.if_less(half, part.0, Quad::ZERO);
            self.nearest = self.nearest + part.0.if_less(half, Quad::ZERO, half);
        }
        rounded
    }

    /// Adds the terms of all phases, in one go where no order of them rounds.
    #[inline(always)]
    fn add_dots<const WHOLE: bool>(&mut self, phases: usize, dots: &[Dot; DEPTH / DOT]) {
        self.linear = self.linear + (dots[0].missing[phases - 1] + dots[1].missing[phases - 1]);
        let (exactly, is_exact) = self.without_rounding(phases, dots);
        if is_exact.0 == [1.0; QUAD] {
            *self = exactly;
            return;
        }
        let mut missing = Quad::ZERO;
        for phase in 0..phases {
            for dot in dots {
                let (value, so_far) = match phase {
                    0 => (Some(dot.value), Quad::ZERO),
                    _ => (None, dot.missing[phase - 1]),
                };
                let after = missing - so_far + dot.missing[phase];
                let terms = [dot.terms[0][phase], dot.terms[1][phase]];
                self.add_terms::<WHOLE>(terms, value, (missing, after));
                missing = after;
            }
        }
        let choose = |yes, no| Quad::ZERO.if_less(is_exact, yes, no);
        self.value = choose(exactly.value, self.value);
        self.linear = choose(exactly.linear, self.linear);
        self.nearest = choose(exactly.nearest, self.nearest);
        self.grain = choose(exactly.grain, self.grain);
    }

    /// The sums if nothing is rounded, and 1 where that is so.
    #[inline(always)]
    fn without_rounding(&self, phases: usize, dots: &[Dot; DEPTH / DOT]) -> (DotSums, Quad) {
        let mut all = Term::NONE;
        for terms in dots.iter().flat_map(|dot| &dot.terms) {
            for term in &terms[..phases] {
                all.most = all.most + term.most;
                all.grain = all.grain.min(term.grain);
                all.binade = all.binade.max(term.binade);
            }
        }
        let most = self.value.abs() + self.error() + all.most;
        let grain = self.grain.min(all.grain);
        let unit = binade(most).max(all.binade) * grid::power(1 - FP32_BITS);
        let (zero, one) = (Quad::ZERO, Quad::splat(1.0));
        let is_exact = match self.width {
            DstWidth::Bits16 => zero,
            DstWidth::Bits32 => {
                let is_in_range = grain.if_less(Quad::splat(grid::LOWEST), zero, one);
                let is_finite = most.if_less(Quad::splat(grid::HIGHEST), is_in_range, zero);
                unit.if_less(grain, is_finite, zero)
            }
        };
        let (value, lost) = sum(dots[0].value, dots[1].value);
        let mut exactly = DotSums { grain, ..*self };
        exactly.raise(value);
        exactly.linear = exactly.linear + lost.abs();
        (exactly, is_exact)
    }

    /// ACCUMULATE; see [`Accumulator::add_terms`](super::Accumulator).
    #[inline(always)]
    fn add_terms<const WHOLE: bool>(
        &mut self,
        terms: [Term; 2],
        value: Option<Quad>,
        missing: (Quad, Quad),
    ) {
        let (most, least) = self.magnitudes(missing.0);
        match value {
            Some(value) if WHOLE => self.value = self.value + value,
            Some(value) => self.raise(value),
            None => {}
        }
        let term = terms[0].binade.max(terms[1].binade);
        let common_most = binade(most).max(term);
        let common_least = binade(least).max(term);
        let own = self.grain;
        let grain = own.min(terms[0].grain).min(terms[1].grain);

        // Dst is shifted only if a term's exponent may exceed its own.
        let shifted = binade(least).if_less(term, own, Quad::splat(f64::INFINITY));
        let (_, mut added) = self.align(most, shifted, common_most);
        for term in terms {
            added = added + self.align(term.most, term.grain, common_most).0;
        }
        let addend_bits = accumulate::addend_bits(self.width);
        let grain = grain.max(common_least * grid::power(1 - addend_bits));
        self.round_result(grain, common_least, added, missing.1);
    }

    /// An addend rounded to the unit of the common exponent: the most that is left, and that it
    /// can move.
    #[inline(always)]
    fn align(&mut self, most: Quad, grain: Quad, common: Quad) -> (Quad, Quad) {
        let zero = Quad::ZERO;
        let unit = common * grid::power(1 - accumulate::addend_bits(self.width));
        let is_rounded = |half: Quad| grain.if_less(unit, zero.if_less(most, half, zero), zero);
        let half = is_rounded(unit * 0.5);
        let twice = match self.width {
            DstWidth::Bits32 => zero,
            DstWidth::Bits16 => {
                let fine = common * grid::power(1 - FP32_BITS);
                is_rounded(grain.if_less(fine, fine * 0.5, zero))
            }
        };
        let whole = most + twice;
        self.linear = self.linear + whole.if_less(half, most, twice);
        let charged = whole.if_less(half, zero, half);
        match self.width {
            DstWidth::Bits16 => self.linear = self.linear + charged,
            DstWidth::Bits32 => self.nearest = self.nearest + charged,
        }
        (whole.if_less(half, zero, whole + half), whole.if_less(half, most, twice + half))
    }

    /// The sums rounded to the width of Dst, and flushed or beyond any bound.
    #[inline(always)]
    fn round_result(&mut self, grain: Quad, common_least: Quad, added: Quad, missing: Quad) {
        let zero = Quad::ZERO;
        let bits = width_bits(self.width);
        let sum = binade(self.magnitudes(missing).0);
        let unit = sum * grid::power(1 - bits);
        let half = grain.if_less(unit, unit * 0.5, zero);
        match self.width {
            DstWidth::Bits16 => self.linear = self.linear + half.min(added),
            DstWidth::Bits32 => {
                // Only a sum beyond the common exponent has bits to lose.
                let half = common_least.if_less(sum, half, zero);
                self.linear = self.linear + added.if_less(half, added, zero);
                self.nearest = self.nearest + added.if_less(half, zero, half);
            }
        }
        let (most, least) = self.magnitudes(missing);
        let lowest = Quad::splat(grid::LOWEST);
        let flushed = least.if_less(lowest, most.min(lowest), zero);
        self.linear = self.linear + grain.if_less(lowest, flushed, zero);
        let (highest, infinite) = (Quad::splat(grid::HIGHEST), Quad::splat(f64::INFINITY));
        self.linear = most.if_less(highest, self.linear, infinite);
        self.grain = grain.max(binade(least) * grid::power(1 - bits));
    }

    /// The largest and the smallest magnitudes that Dst can hold, with what it still lacks.
    #[inline(always)]
    fn magnitudes(&self, missing: Quad) -> (Quad, Quad) {
        let (value, error) = (self.value.abs(), self.error() + missing);
        (value + error, (value - error).max(Quad::ZERO))
    }

    #[inline(always)]
    fn raise(&mut self, by: Quad) {
        let (value, lost) = sum(self.value, by);
        self.linear = self.linear + lost.abs();
        self.value = value;
    }

    #[inline(always)]
    fn error(&self) -> Quad {
        self.linear + self.nearest
    }
}

/// A phase's partial product, and its lowest bit.
#[inline(always)]
fn part<const PHASE: usize>(a: &Factor<Quad>, b: &Single) -> (Quad, Quad) {
    match PHASE {
        0 => (a.high * b.high, a.high_grain * b.high_grain),
        1 => (a.low * b.high, a.low_grain * b.high_grain),
        2 => (a.high * b.low, a.high_grain * b.low_grain),
        _ => (a.low * b.low, a.low_grain * b.low_grain),
    }
}

/// What a product lacks after a phase; see `Product` in `source`.
#[inline(always)]
fn missing_after<const PHASE: usize>(a: &Factor<Quad>, b: &Single) -> Quad {
    let a_most = a.value.abs();
    let lost = || a_most * b.lost + a.lost * b.value.abs();
    match PHASE {
        0 => a_most * b.rest + a.rest * b.high,
        1 => a_most * b.rest + a.lost * b.high,
        2 => lost() + a.rest * b.low,
        _ => lost(),
    }
}
