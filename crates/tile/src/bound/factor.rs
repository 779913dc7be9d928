//! Exact operands of dot products as the multiplier takes them apart, one or four at a time.
//!
//! Exponents and lowest bits are powers of two; see `dot_quads`, which sums the products.

use super::approx::Approx;
use super::dot::Multiplication;
use super::grid;
use super::quad::{QUAD, Quad};
use super::source::Side;

/// An exact operand as the multiplier takes it apart, or four of them.
#[derive(Clone, Copy, Debug)]
pub struct Factor<Number> {
    /// What memory holds, which a register may have cut.
    pub(super) stored: Number,
    /// What the register holds.
    pub(super) value: Number,
    /// The power of two at or below its magnitude.
    pub(super) binade: Number,
    pub(super) high: Number,
    pub(super) low: Number,
    /// The bits that the multiplier never takes, and all but the high part.
    pub(super) lost: Number,
    pub(super) rest: Number,
    /// The lowest bits of the parts, as powers of two.
    pub(super) high_grain: Number,
    pub(super) low_grain: Number,
}

/// A factor of one sum.
pub type Single = Factor<f64>;

/// Factors of four sums.
#[derive(Clone, Copy, Debug)]
pub struct Four(pub(super) Factor<Quad>);

impl Single {
    /// An operand in SrcA; none if it is not exact, or no normal number and not zero.
    #[inline(always)]
    pub fn in_a(how: Multiplication, stored: f32, operand: Approx) -> Option<Single> {
        Self::new(Side::A.bits(how.formats.a), stored, operand)
    }

    /// The same in SrcB.
    #[inline(always)]
    pub fn in_b(how: Multiplication, stored: f32, operand: Approx) -> Option<Single> {
        Self::new(Side::B.bits(how.formats.b), stored, operand)
    }

    /// As `Split` does it for exact operands, with lowest bits as powers of two.
    #[inline(always)]
    fn new((high, kept): (i32, i32), stored: f32, operand: Approx) -> Option<Single> {
        let most = operand.value.abs();
        let is_held = most == 0.0 || (grid::LOWEST..f64::INFINITY).contains(&most);
        if !is_held || !operand.is_exact() || !stored.is_finite() {
            return None;
        }
        let high = grid::cut(most, high);
        let low = grid::cut(most, kept) - high;
        let lost = most - high - low;
        Some(Factor {
            stored: f64::from(stored),
            value: operand.value,
            binade: grid::binade(most),
            high,
            low,
            lost,
            rest: low + lost,
            high_grain: grid::lowest_power(high),
            low_grain: grid::lowest_power(low),
        })
    }

    /// Zero, exactly, stored and held.
    pub const ZERO: Single = Factor {
        stored: 0.0,
        value: 0.0,
        binade: 0.0,
        high: 0.0,
        low: 0.0,
        lost: 0.0,
        rest: 0.0,
        high_grain: f64::INFINITY,
        low_grain: f64::INFINITY,
    };
}

impl Four {
    /// Zeros.
    pub const ZERO: Four = Four(Factor {
        stored: Quad::ZERO,
        value: Quad::ZERO,
        binade: Quad::ZERO,
        high: Quad::ZERO,
        low: Quad::ZERO,
        lost: Quad::ZERO,
        rest: Quad::ZERO,
        high_grain: Quad([f64::INFINITY; QUAD]),
        low_grain: Quad([f64::INFINITY; QUAD]),
    });

    /// Replaces the factor of one of the sums.
    #[inline]
    pub fn set(&mut self, sum: usize, of: &Single) {
        let Four(all) = self;
        all.stored.0[sum] = of.stored;
        all.value.0[sum] = of.value;
        all.binade.0[sum] = of.binade;
        all.high.0[sum] = of.high;
        all.low.0[sum] = of.low;
        all.lost.0[sum] = of.lost;
        all.rest.0[sum] = of.rest;
        all.high_grain.0[sum] = of.high_grain;
        all.low_grain.0[sum] = of.low_grain;
    }

    /// Factors side by side.
    pub fn new(of: [Single; QUAD]) -> Four {
        let mut all = Four::ZERO;
        of.iter().enumerate().for_each(|(sum, of)| all.set(sum, of));
        all
    }
}

/// How far the factors of a sum reach: whether f64 holds every sum of their products.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    most: f64,
    sum: f64,
    grain: f64,
    is_whole: bool,
}

impl Extent {
    /// No factor.
    pub const NONE: Extent = Extent { most: 0.0, sum: 0.0, grain: f64::INFINITY, is_whole: true };

    /// Counts one more factor.
    #[inline]
    pub fn count(&mut self, factor: &Single) {
        self.most = self.most.max(factor.value.abs());
        self.sum += factor.value.abs();
        self.grain = self.grain.min(factor.high_grain).min(factor.low_grain);
        self.is_whole &= factor.lost == 0.0 && factor.stored == factor.value;
    }

    /// True if the register of every factor holds what is stored, the multiplier takes every bit
    /// of it, and every sum of some of the products with another sum's factors is exact in f64.
    #[inline]
    pub fn is_whole_with(&self, other: &Extent) -> bool {
        /// One bit fewer than f64 has: `sum` is rounded itself.
        const MOST: f64 = (1_u64 << 52) as f64;
        let fits = self.sum * other.most <= self.grain * other.grain * MOST;
        self.is_whole && other.is_whole && fits
    }
}
