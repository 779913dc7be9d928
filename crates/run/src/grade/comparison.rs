//! A test's own comparison: how far its outputs may be from the right values.

use tilewright_tile::bound::Approx;

/// The tolerances of a test. Without any, every element must be inside its derived bound, or the
/// tolerance that a manifest states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The absolute tolerance of every element.
    pub atol: Option<f64>,
    /// The tolerance relative to the right value, added to `atol`.
    pub rtol: Option<f64>,
    /// The least correlation (Pearson) of an output with the right values.
    pub pcc: Option<f64>,
}

/// How far outputs are from the right values, in the terms of every comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance {
    /// The least absolute tolerance that accepts every element, with the comparison's `rtol`.
    pub(crate) atol: f64,
    /// The least correlation of any output.
    pub(crate) pcc: f64,
    /// Whether an element is outside its bound.
    pub(crate) is_beyond: bool,
}

impl Distance {
    /// No output has been compared yet.
    pub(crate) const NONE: Distance = Distance { atol: 0.0, pcc: 1.0, is_beyond: false };

    /// The distance of two sets of outputs.
    pub(crate) fn and(self, other: Distance) -> Distance {
        Distance {
            atol: self.atol.max(other.atol),
            pcc: self.pcc.min(other.pcc),
            is_beyond: self.is_beyond || other.is_beyond,
        }
    }
}

impl Comparison {
    /// Whether it states no tolerance of its own.
    pub fn is_bound(&self) -> bool {
        *self == Comparison::default()
    }

    /// Whether a test with this comparison passes.
    pub(crate) fn accepts(&self, distance: &Distance) -> bool {
        if self.is_bound() {
            return !distance.is_beyond;
        }
        let has_tolerance = self.atol.is_some() || self.rtol.is_some();
        let is_near = !has_tolerance || distance.atol <= self.atol.unwrap_or(0.0);
        is_near && self.pcc.is_none_or(|least| distance.pcc >= least)
    }

    /// How far an output is from the right values. Elements that nothing is known of are left out.
    pub(crate) fn distance(&self, values: &[f32], wanted: &[Approx]) -> Distance {
        let rtol = self.rtol.unwrap_or(0.0);
        let pairs = || values.iter().map(|value| f64::from(*value)).zip(wanted);
        let mut distance = Distance { pcc: pcc(pairs()), ..Distance::NONE };
        for (got, wanted) in pairs().filter(|(_, wanted)| wanted.is_judged()) {
            distance.is_beyond |= !wanted.admits(got);
            distance.atol = distance.atol.max(needed(got, *wanted, rtol));
        }
        distance
    }

    /// The least absolute tolerance that accepts every kernel inside its bounds.
    pub(crate) fn justified_atol(&self, wanted: &[Approx]) -> f64 {
        let rtol = self.rtol.unwrap_or(0.0);
        let finite = wanted.iter().filter(|wanted| wanted.is_finite());
        finite.map(|wanted| wanted.error - rtol * wanted.value.abs()).fold(0.0, f64::max)
    }
}

/// The least absolute tolerance that accepts a value.
fn needed(got: f64, wanted: Approx, rtol: f64) -> f64 {
    if !wanted.is_finite() {
        return if wanted.ratio(got) == 0.0 { 0.0 } else { f64::INFINITY };
    }
    let error = (got - wanted.value).abs();
    if error.is_finite() { error - rtol * wanted.value.abs() } else { f64::INFINITY }
}

/// Pearson's correlation of all pairs of finite values. Two constants are correlated if they are
/// equal; a constant is not correlated with anything else.
fn pcc<'a>(pairs: impl Iterator<Item = (f64, &'a Approx)> + Clone) -> f64 {
    let finite = pairs.filter(|(got, wanted)| got.is_finite() && wanted.is_finite());
    let (mut count, mut sums) = (0.0, [0.0; 2]);
    for (got, wanted) in finite.clone() {
        count += 1.0;
        sums = [sums[0] + got, sums[1] + wanted.value];
    }
    let means = sums.map(|sum| sum / f64::max(count, 1.0));
    let [mut squares_got, mut squares_wanted, mut products] = [0.0; 3];
    for (got, wanted) in finite {
        let (got, wanted) = (got - means[0], wanted.value - means[1]);
        squares_got += got * got;
        squares_wanted += wanted * wanted;
        products += got * wanted;
    }
    if squares_got > 0.0 && squares_wanted > 0.0 {
        return products / (squares_got * squares_wanted).sqrt();
    }
    let are_same = squares_got == squares_wanted && means[0] == means[1];
    if are_same { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(values: &[f64]) -> Vec<Approx> {
        values.iter().map(|value| Approx::new(*value, 0.01)).collect()
    }

    #[test]
    fn tolerances_are_those_of_allclose() {
        let both = Comparison { atol: Some(0.1), rtol: Some(0.01), pcc: None };
        let wanted = exact(&[1.0, 100.0]);
        assert!(both.accepts(&both.distance(&[1.1, 101.0], &wanted)));
        assert!(!both.accepts(&both.distance(&[1.12, 101.0], &wanted)));
        assert!(!both.accepts(&both.distance(&[f32::NAN, 101.0], &wanted)));
        let none = Comparison::default();
        assert!(none.accepts(&none.distance(&[1.009, 100.0], &wanted)));
        assert!(!none.accepts(&none.distance(&[1.02, 100.0], &wanted)));
    }

    #[test]
    fn correlation_sees_shape_and_neither_scale_nor_offset() {
        let pcc = Comparison { pcc: Some(0.99), ..Comparison::default() };
        let wanted = exact(&[1.0, 2.0, 3.0, 4.0]);
        assert!(pcc.accepts(&pcc.distance(&[12.0, 14.0, 16.0, 18.0], &wanted)));
        assert!(!pcc.accepts(&pcc.distance(&[4.0, 3.0, 2.0, 1.0], &wanted)));
        assert!(!pcc.accepts(&pcc.distance(&[2.0; 4], &wanted)));
        assert!(pcc.accepts(&pcc.distance(&[5.0; 2], &exact(&[5.0; 2]))));
    }

    #[test]
    fn the_justified_tolerance_accepts_every_kernel_inside_its_bounds() {
        let comparison = Comparison { rtol: Some(0.001), ..Comparison::default() };
        let wanted = [Approx::new(1.0, 0.5), Approx::new(1000.0, 1.25)];
        assert!((comparison.justified_atol(&wanted) - 0.499).abs() < 1e-12);
    }
}
