//! Functions in f64 that the standard library lacks.

/// 1 / (1 + exp(-x)), without overflow on either side.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// x times its sigmoid.
pub fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

/// x times the normal distribution function of x.
pub fn gelu(x: f64) -> f64 {
    x * 0.5 * erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    if x.abs() < 1.5 { erf_series(x.abs()).copysign(x) } else { 1.0 - erfc(x) }
}

/// The complementary error function, to about 1e-15 of itself.
pub fn erfc(x: f64) -> f64 {
    if x < 0.0 {
        2.0 - erfc(-x)
    } else if x < 1.5 {
        1.0 - erf_series(x)
    } else {
        erfc_fraction(x)
    }
}

/// erf(x) = 2/√π · exp(-x²) · Σ 2ⁿ·x^(2n+1)/(1·3·…·(2n+1)): all terms positive, no cancellation.
fn erf_series(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    let mut odd = 1.0;
    while term > sum * f64::EPSILON / 4.0 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// The continued fraction x + (1/2)/(x + 1/(x + (3/2)/(x + …))), from its far end.
fn erfc_fraction(x: f64) -> f64 {
    const DEPTH: u32 = 80;
    let tail = (1..=DEPTH).rev().fold(x, |tail, k| x + 0.5 * f64::from(k) / tail);
    std::f64::consts::FRAC_2_SQRT_PI / 2.0 * (-x * x).exp() / tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(got: f64, wanted: f64) {
        assert!((got / wanted - 1.0).abs() < 1e-12, "{got:e} is not {wanted:e}");
    }

    #[test]
    fn erfc_is_as_tabulated() {
        check(erfc(0.5), 0.479_500_122_186_953_5);
        check(erfc(2.0), 0.004_677_734_981_047_266);
        check(erfc(3.0), 2.209_049_699_858_544e-5);
        check(erfc(-1.0), 1.842_700_792_949_714_8);
    }

    #[test]
    fn series_and_fraction_meet() {
        check(1.0 - erf_series(1.5), erfc_fraction(1.5));
    }
}
