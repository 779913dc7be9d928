//! ACCUMULATE (4.1): up to two terms and Dst aligned, added and rounded, once or many times.
//!
//! Bounds the rounding of additions onto a running value: the FPU's, the SFPU's and the packer's.
//! Where the terms come from is in `elementwise`, `dot`, `sfpu` and `pack`.

use super::approx::Approx;
use super::grid::{self, BF16_BITS, FP32_BITS, NO_EXPONENT};
use super::{Growth, LAMBDA};
use crate::DstWidth;

/// Bits to which a bf16 Dst reduces its addends at the common exponent (4.1).
const BF16_ADDEND_BITS: i32 = 11;

/// The fault of 4.1 leaves this power of two times the common exponent's.
const RENORMALISATION_SHIFT: i32 = 4;

/// A term of an addition onto Dst, by its magnitude.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// The largest magnitude it can have.
    pub most: f64,
    /// Exponent of the lowest bit it can have set.
    pub lowest_bit: i32,
    /// The largest exponent the hardware can give it. A zero magnitude may have one too.
    pub exponent_most: i32,
    /// The smallest exponent the hardware can give it.
    pub exponent_least: i32,
}

impl Term {
    /// No term at all.
    pub const NONE: Term = Term {
        most: 0.0,
        lowest_bit: i32::MAX / 2,
        exponent_most: NO_EXPONENT,
        exponent_least: NO_EXPONENT,
    };
}

/// What alignment does to an addend: the most that is left of it, and the most it can move.
struct Aligned {
    left: f64,
    moved: f64,
}

/// A running value in Dst, or in L1, and the bound on its error.
///
/// Costs a few nanoseconds a term and allocates nothing.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator {
    pub(super) width: DstWidth,
    pub(super) growth: Growth,
    pub(super) value: f64,
    /// Carried errors and truncations, and roundings that always go one way.
    pub(super) linear: f64,
    /// Nearest roundings at their worst.
    pub(super) nearest: f64,
    /// Expected sum of the nearest roundings: ties go one way.
    pub(super) bias: f64,
    /// Sum of the squares of the nearest roundings' largest deviations from their mean.
    pub(super) variance: f64,
    /// What the nearest roundings make in all, by `growth`.
    pub(super) rounding: f64,
    pub(super) excursion: f64,
    /// The device's value is a multiple of this power of two; infinite for zero.
    pub(super) grain: f64,
}

impl Accumulator {
    /// Starts from what Dst holds: [`Approx::ZERO`] in a cleared section. Whatever is added will
    /// take a denormal there for zero.
    #[inline(always)]
    pub fn new(width: DstWidth, growth: Growth, dst: Approx) -> Self {
        let dst = grid::flush(dst);
        let bits = width_bits(width);
        Self {
            width,
            growth,
            value: dst.value,
            linear: dst.error,
            nearest: 0.0,
            bias: 0.0,
            variance: 0.0,
            rounding: 0.0,
            excursion: 0.0,
            grain: grid::grain_of(dst, bits),
        }
    }

    /// The running value and its bound; with [`Growth::Worst`] the excursion is part of it.
    #[inline(always)]
    pub fn approx(&self) -> Approx {
        match self.growth {
            Growth::Worst => Approx::computed(self.value, self.error() + self.excursion),
            Growth::Statistical => self.approx_without_excursion(),
        }
    }

    /// The running value and the bound that holds unless the renormalisation fault strikes.
    #[inline(always)]
    pub fn approx_without_excursion(&self) -> Approx {
        Approx::computed(self.value, self.error())
    }

    /// What the renormalisation fault can add to the error; 0 where it cannot strike.
    ///
    /// In a 32-bit Dst a sum of exactly -1 unit of the common exponent X comes out as
    /// -2^(X+4) (4.1). That needs a running sum which may be that close to zero and a term with
    /// bits that low. A second fault on the displaced sum of a first one is not pursued.
    pub fn excursion(&self) -> f64 {
        self.excursion
    }

    /// Adds `x` with an SFPU addition (7.1): nearest in fp32, then truncated by a bf16 store.
    #[inline(always)]
    pub fn add_in_sfpu(&mut self, x: Approx) {
        let grows = self.value * x.value > 0.0 && self.value.abs() > self.error();
        let x = self.take(grid::flush(x));
        let grain = self.grain.min(grid::grain_of(x, FP32_BITS));
        self.round_sum(x, grain);
        if self.width == DstWidth::Bits16 {
            self.truncate_sum(x, grain, grows);
        }
        self.finish(grain, 0.0);
    }

    /// A sum with `x` stored in bf16. One that grows falls back to the old value at most.
    fn truncate_sum(&mut self, x: Approx, grain: f64, grows: bool) {
        let unit = grid::unit(self.most(), BF16_BITS);
        if grain < unit {
            let most = if grows && x.least() > 0.0 { x.most() } else { f64::MAX };
            self.linear += unit.min(most);
        }
    }

    /// Adds `x` as the packer's L1 accumulation does (section 6, step 4): nearest even in
    /// `bits` significant bits.
    pub(super) fn add_in_l1(&mut self, x: Approx, bits: i32) {
        let x = self.take(grid::flush(x));
        let grain = self.grain.min(grid::grain_of(x, FP32_BITS));
        let unit = grid::unit(self.most(), bits);
        if bits == FP32_BITS {
            self.round_sum(x, grain);
        } else if grain < unit {
            // As in a bf16 Dst: small terms are swallowed, and nothing about that is random.
            self.linear += (unit / 2.0).min(x.most());
        }
        self.finish(grain, 0.0);
    }

    /// An empty sum of the same kind.
    pub(super) fn restarted(&self) -> Self {
        Self::new(self.width, self.growth, Approx::ZERO)
    }

    /// Width of Dst.
    pub(super) fn width(&self) -> DstWidth {
        self.width
    }

    /// Charges an error that adds up linearly.
    pub(super) fn charge(&mut self, error: f64) {
        self.linear += error;
    }

    /// Charges what the renormalisation fault can do to a sum that goes into this one.
    pub(super) fn charge_excursion(&mut self, excursion: f64) {
        self.excursion += excursion;
    }

    /// Charges a rounding of at most `most` to the nearest multiple of `unit`, before Dst comes
    /// in; what is rounded is a multiple of `grain`, and ties go in `direction`.
    ///
    /// If the bits between are as likely ones as zeros, only the tie has a mean: half a unit, once
    /// in unit/grain times.
    #[inline(always)]
    pub(super) fn charge_alignment(&mut self, most: f64, unit: f64, grain: f64, direction: f64) {
        let half = unit / 2.0;
        if most < half {
            self.linear += most; // Swallowed whole every time: nothing random about it.
            return;
        }
        self.nearest += half;
        self.rounding = match self.growth {
            Growth::Worst => self.nearest,
            // Few roundings are below the worst case by less than λ deviations.
            Growth::Statistical => {
                let mean = grain / 2.0;
                self.bias += mean * direction;
                self.variance += (half + mean) * (half + mean);
                self.nearest.min(self.bias.abs() + LAMBDA * self.variance.sqrt())
            }
        };
    }

    /// The same for a rounding of Dst itself, which a bf16 Dst always takes at its worst.
    ///
    /// `added` is how far the sum can be from the Dst value before: as that was a candidate of the
    /// rounding too, the rounding cannot go further.
    #[inline(always)]
    fn charge_in_dst(&mut self, added: f64, unit: f64, grain: f64, direction: f64) {
        match self.width {
            DstWidth::Bits16 => self.linear += (unit / 2.0).min(added),
            DstWidth::Bits32 => self.charge_alignment(added, unit, grain, direction),
        }
    }

    /// Adds `value` in one go if a 32-bit Dst adds all its terms without any rounding, however
    /// they are ordered; else does nothing and returns false.
    ///
    /// That is so if every bit of theirs and of Dst fits into 24 bits below both the largest
    /// partial sum and the largest exponent: nothing is lost in alignment or in the result, and
    /// no sum is as small as one unit, which the renormalisation fault takes.
    pub(super) fn add_without_rounding(&mut self, value: f64, all: Term) -> bool {
        let most = self.value.abs() + self.error() + all.most;
        let exponent = grid::exponent(most).max(all.exponent_most);
        let lowest_bit = self.lowest_bit().min(all.lowest_bit);
        let is_exact = self.width == DstWidth::Bits32
            && lowest_bit > exponent - (FP32_BITS - 1)
            && lowest_bit >= grid::LOWEST_EXPONENT
            && !grid::overflows(most);
        if is_exact {
            self.raise(value);
            self.grain = grid::grain(lowest_bit);
        }
        is_exact
    }

    /// ACCUMULATE: the device adds `terms`, which raises the exact value by `value`.
    ///
    /// `missing` is what Dst still lacks of the exact value, before and after, because later
    /// phases will add it.
    pub(super) fn add_terms(&mut self, terms: [Term; 2], value: f64, missing: (f64, f64)) {
        let dst = Approx::new(self.value, self.error() + missing.0);
        self.raise(value);
        let term_most = terms[0].exponent_most.max(terms[1].exponent_most);
        let term_least = terms[0].exponent_least.max(terms[1].exponent_least);
        let most = grid::exponent(dst.most()).max(term_most);
        let least = grid::exponent(dst.least()).max(term_least);
        let own = self.lowest_bit();
        let lowest_bit = own.min(terms[0].lowest_bit).min(terms[1].lowest_bit);

        // Dst is shifted only if a term's exponent may exceed its own.
        let mut added = 0.0;
        if grid::exponent(dst.least()) < term_most {
            added += self.align(dst.most(), own, most, dst.value.signum()).moved;
        }
        for term in terms {
            added += self.align(term.most, term.lowest_bit, most, 1.0).left;
        }
        if self.width == DstWidth::Bits32 && lowest_bit <= most - (FP32_BITS - 1) {
            self.look_for_excursion(most, least, missing.1);
        }
        let lowest_bit = lowest_bit.max(least - (addend_bits(self.width) - 1));
        self.round_result(lowest_bit, least, added, missing.1);
    }

    /// An addend is rounded to the unit of the common exponent, at most `exponent`.
    fn align(&mut self, most: f64, lowest_bit: i32, exponent: i32, direction: f64) -> Aligned {
        let unit = exponent - (addend_bits(self.width) - 1);
        if most == 0.0 || lowest_bit >= unit {
            return Aligned { left: most, moved: 0.0 };
        }
        // A bf16 Dst aligns in 24 bits first and rounds to 11 then.
        let fine = exponent - (FP32_BITS - 1);
        let twice = if lowest_bit < fine && fine < unit { grid::power(fine - 1) } else { 0.0 };
        let half = grid::power(unit - 1);
        if most + twice < half {
            self.linear += most;
            return Aligned { left: 0.0, moved: most };
        }
        self.linear += twice;
        let (unit, grain) = (grid::power(unit), grid::grain(lowest_bit));
        self.charge_in_dst(f64::INFINITY, unit, grain, direction);
        Aligned { left: most + twice + half, moved: twice + half }
    }

    /// The sum is rounded to the width of Dst, ties away, and flushed or overflows.
    fn round_result(&mut self, lowest_bit: i32, exponent_least: i32, added: f64, missing: f64) {
        let sum = Approx::new(self.value, self.error() + missing);
        let exponent = grid::exponent(sum.most());
        let unit = exponent - (width_bits(self.width) - 1);
        // In 24 bits only a sum beyond the common exponent has bits to lose.
        let may_round = self.width == DstWidth::Bits16 || exponent > exponent_least;
        if may_round && lowest_bit < unit {
            let (unit, grain) = (grid::power(unit), grid::grain(lowest_bit));
            self.charge_in_dst(added, unit, grain, sum.value.signum());
        }
        self.finish(grid::grain(lowest_bit), missing);
    }

    fn look_for_excursion(&mut self, most: i32, least: i32, missing: f64) {
        let error = self.error() + missing;
        let unit_most = grid::power(most - (FP32_BITS - 1));
        let unit_least = grid::power(least - (FP32_BITS - 1));
        if self.value - error <= -unit_least && self.value + error >= -unit_most {
            self.excursion += grid::power(most + RENORMALISATION_SHIFT) + unit_most;
        }
    }

    /// A sum with `x`, correctly rounded to fp32; ties to even have no bias.
    #[inline(always)]
    fn round_sum(&mut self, x: Approx, grain: f64) {
        let unit = grid::unit(self.most(), FP32_BITS);
        if grain < unit {
            self.charge_in_dst(x.most(), unit, grain, 0.0);
        }
    }

    /// The largest magnitude that the running value can have.
    #[inline(always)]
    fn most(&self) -> f64 {
        self.value.abs() + self.error()
    }

    /// Exponent of the lowest bit that the running value can have set.
    fn lowest_bit(&self) -> i32 {
        grid::lowest_bit(self.grain)
    }

    /// Flush, overflow, and what is known of the result's lowest bit.
    #[inline(always)]
    fn finish(&mut self, grain: f64, missing: f64) {
        let sum = Approx::new(self.value, self.error() + missing);
        if grain < grid::LOWEST {
            self.linear += grid::flushed(sum.least(), sum.most());
        }
        if grid::overflows(sum.most()) {
            self.linear = f64::INFINITY;
        }
        self.grain = grain.max(grid::unit(sum.least(), width_bits(self.width)));
    }

    #[inline(always)]
    fn take(&mut self, x: Approx) -> Approx {
        self.linear += x.error;
        self.raise(x.value);
        x
    }

    /// Adds to the exact value; what f64 loses in doing so is found exactly and charged.
    #[inline(always)]
    fn raise(&mut self, by: f64) {
        let (sum, lost) = grid::sum(self.value, by);
        self.linear += lost;
        self.value = sum;
    }

    #[inline(always)]
    fn error(&self) -> f64 {
        self.linear + self.rounding
    }
}

/// Significant bits of an addend, at the common exponent.
#[inline(always)]
pub(super) fn addend_bits(width: DstWidth) -> i32 {
    match width {
        DstWidth::Bits16 => BF16_ADDEND_BITS,
        DstWidth::Bits32 => FP32_BITS,
    }
}

/// Significant bits of a Dst value.
#[inline(always)]
pub(super) fn width_bits(width: DstWidth) -> i32 {
    match width {
        DstWidth::Bits16 => BF16_BITS,
        DstWidth::Bits32 => FP32_BITS,
    }
}
