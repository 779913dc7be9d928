//! A result against its reference: every element inside its own derived bound, or not.

use tilewright_tile::bound::Approx;

/// How a device output compares with its reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Elements that a bound could judge.
    pub judged: usize,
    /// Elements whose exact value is NaN or infinite, or has no finite bound.
    pub unjudged: usize,
    /// The largest error of any judged element.
    pub max_abs_error: f64,
    /// The largest error relative to the exact value, where that is not zero.
    pub max_relative_error: f64,
    /// The mean error.
    pub mean_abs_error: f64,
    /// The median of the bounds over the median of the errors: how loose the bounds are.
    pub median_slack: f64,
    /// The element that came nearest to its bound, or furthest beyond it.
    pub worst: Worst,
    /// Whether every judged element is inside its bound.
    pub in_bound: bool,
}

/// One element, its values and its bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// Its place in row-major order.
    pub index: usize,
    /// The exact value.
    pub wanted: f64,
    /// The device's.
    pub got: f64,
    /// The bound on their difference.
    pub bound: f64,
    /// Difference over bound; at most 1 is inside.
    pub ratio: f64,
}

/// Holds device values against exact ones, element by element.
pub fn judge(device: &[f32], reference: &[Approx]) -> Judgement {
    assert_eq!(device.len(), reference.len(), "an output has as many values as its reference");
    let mut worst = Worst { index: 0, wanted: 0.0, got: 0.0, bound: 0.0, ratio: 0.0 };
    let (mut errors, mut bounds) = (Vec::new(), Vec::new());
    let mut max_relative_error = 0.0_f64;
    for (index, (got, exact)) in device.iter().zip(reference).enumerate() {
        if !exact.is_finite() {
            continue;
        }
        let got = f64::from(*got);
        let error = if got.is_finite() { (got - exact.value).abs() } else { f64::INFINITY };
        let ratio = exact.ratio(got);
        if ratio > worst.ratio || errors.is_empty() {
            worst = Worst { index, wanted: exact.value, got, bound: exact.error, ratio };
        }
        if exact.value != 0.0 {
            max_relative_error = max_relative_error.max(error / exact.value.abs());
        }
        errors.push(error);
        bounds.push(exact.error);
    }
    let judged = errors.len();
    let mean_abs_error = if judged == 0 { 0.0 } else { errors.iter().sum::<f64>() / judged as f64 };
    Judgement {
        judged,
        unjudged: device.len() - judged,
        max_abs_error: errors.iter().copied().fold(0.0, f64::max),
        max_relative_error,
        mean_abs_error,
        median_slack: median(&mut bounds) / median(&mut errors),
        worst,
        in_bound: worst.ratio <= 1.0,
    }
}

fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::judge;
    use tilewright_tile::bound::Approx;

    #[test]
    fn the_worst_element_is_the_one_nearest_its_own_bound() {
        let reference = [Approx::new(1.0, 0.5), Approx::new(100.0, 10.0), Approx::special()];
        let judged = judge(&[1.4, 102.0, f32::NAN], &reference);
        assert_eq!((judged.judged, judged.unjudged, judged.worst.index), (2, 1, 0));
        assert!(judged.in_bound && (judged.max_abs_error - 2.0).abs() < 1e-9);
    }

    #[test]
    fn one_element_outside_its_bound_fails_the_output() {
        let reference = [Approx::new(1.0, 0.5), Approx::exact(2.0)];
        assert!(!judge(&[1.0, 2.000_001], &reference).in_bound);
        assert!(!judge(&[f32::NAN, 2.0], &reference).in_bound);
        assert!(judge(&[1.5, 2.0], &reference).in_bound);
    }
}
