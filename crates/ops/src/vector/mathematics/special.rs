//! Special functions in f64, to about 1e-13 of themselves, or of 1 near their zeros.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

use tilewright_tile::bound::{erf, erfc};

/// From here on a few terms of the asymptotic series are exact to f64.
const FAR: f64 = 20.0;

/// Coefficients of Stirling's series: B(2n) / (2n (2n - 1)).
const STIRLING: [f64; 6] =
    [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];

/// ln Γ(x) for x above zero: Stirling's series, and the recurrence before it.
pub(super) fn ln_gamma(x: f64) -> f64 {
    if x < FAR {
        let steps = (FAR - x).ceil();
        let product = (0..steps as u32).map(|step| x + f64::from(step)).product::<f64>();
        return ln_gamma(x + steps) - product.ln();
    }
    let (inverse, square) = (x.recip(), x.recip() * x.recip());
    let series = STIRLING.iter().rev().fold(0.0, |sum, term| sum * square + term);
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series * inverse
}

/// The logarithmic derivative of Γ.
pub(super) fn digamma(x: f64) -> f64 {
    if x <= 0.0 {
        return digamma(1.0 - x) - PI / (PI * x).tan();
    }
    if x < FAR {
        return digamma(x + 1.0) - x.recip();
    }
    let square = x.recip() * x.recip();
    let terms = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0];
    let series = terms.iter().rev().fold(0.0, |sum, term| sum * square + term);
    x.ln() - 0.5 / x - series * square
}

/// `scale` times Σ (x + k)^-(n + 1) for x above zero: the polygamma function of order n for a scale
/// of (-1)^(n + 1) n!, by Euler's and Maclaurin's formula.
pub(super) fn polygamma(order: f64, scale: f64, x: f64) -> f64 {
    if x <= 0.0 || x.is_nan() {
        return f64::NAN;
    }
    let power = order + 1.0;
    let steps = if x < FAR { (FAR - x).ceil() } else { 0.0 };
    let first: f64 = (0..steps as u32).map(|k| (x + f64::from(k)).powf(-power)).sum();
    let y = x + steps;
    let mut term = y.powf(-power) * power / y;
    let mut rest = y.powf(1.0 - power) / order + 0.5 * y.powf(-power);
    let bernoulli = [1.0 / 12.0, -1.0 / 720.0, 1.0 / 30_240.0, -1.0 / 1_209_600.0];
    for (at, coefficient) in bernoulli.iter().enumerate() {
        rest += coefficient * term;
        let raised = power + 2.0 * at as f64;
        term *= (raised + 1.0) * (raised + 2.0) / (y * y);
    }
    scale * (first + rest)
}

/// Arguments beyond which the Bessel functions overflow.
const BESSEL_MOST: f64 = 710.0;

/// The modified Bessel function of order 0: its series has positive terms only.
pub(super) fn bessel_i0(x: f64) -> f64 {
    bessel(x.abs(), 0.0)
}

/// The modified Bessel function of order 1.
pub(super) fn bessel_i1(x: f64) -> f64 {
    bessel(x.abs(), 1.0).copysign(x)
}

fn bessel(x: f64, order: f64) -> f64 {
    if x > BESSEL_MOST {
        return f64::INFINITY;
    }
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut k) = ((0.5 * x).powf(order), 0.0, 0.0);
    while term > sum * f64::EPSILON / 4.0 {
        sum += term;
        k += 1.0;
        term *= quarter / (k * (k + order));
    }
    sum
}

/// The inverse of erf between -1 and 1: Newton's steps from Winitzki's estimate, on the tail
/// where erf itself has no digits left.
pub(super) fn erf_inv(y: f64) -> f64 {
    if y.abs() >= 1.0 {
        return if y.abs() > 1.0 { f64::NAN } else { f64::INFINITY.copysign(y) };
    }
    let (tail, a) = (1.0 - y.abs(), 0.147);
    let log = (tail * (2.0 - tail)).ln();
    let half = 2.0 / (PI * a) + 0.5 * log;
    let mut x = ((half * half - log / a).sqrt() - half).max(0.0).sqrt();
    for _ in 0..4 {
        let off = if x < 0.5 { erf(x) - y.abs() } else { tail - erfc(x) };
        x -= off / (FRAC_2_SQRT_PI * (-x * x).exp());
    }
    x.copysign(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(got: f64, wanted: f64) {
        assert!((got - wanted).abs() <= 2e-13 * wanted.abs().max(1.0), "{got:e} is not {wanted:e}");
    }

    #[test]
    fn functions_are_as_tabulated() {
        check(ln_gamma(0.5), 0.572_364_942_924_700_1);
        check(ln_gamma(10.0), 12.801_827_480_081_469);
        check(ln_gamma(1.0), 0.0);
        check(digamma(1.0), -0.577_215_664_901_532_9);
        check(digamma(-0.5), 0.036_489_973_978_576_52);
        check(polygamma(1.0, 1.0, 1.0), PI * PI / 6.0);
        check(polygamma(2.0, -2.0, 1.0), -2.404_113_806_319_188_4);
        check(bessel_i0(2.0), 2.279_585_302_336_067_3);
        check(bessel_i1(2.0), 1.590_636_854_637_329);
        check(bessel_i1(-2.0), -1.590_636_854_637_329);
        check(erf_inv(0.5), 0.476_936_276_204_469_9);
        check(erf_inv(-0.999_9), -2.751_063_905_712_060_6);
        check(erf_inv(1e-6), 8.862_269_254_529_9e-7);
    }
}
