//! Reciprocals, and the division built on them.

use super::lane::{Rounding, copy_sign, nearest_even_bfloat16, set_exponent, stochastic_round};
use super::vector::{Vector, add, fma, mul, sub};
use super::{HALF, MINUS_ONE, TWO};
use crate::DstWidth;
use crate::bits::{INFINITY, MANTISSA, ONE, QUIET_NAN, SIGN, exponent};

/// How many Newton steps follow the quadratic guess.
#[derive(Clone, Copy)]
pub(super) enum Steps {
    One,
    Two,
}

/// 1 / x with the sign of x, unrounded for Dst.
pub(super) fn reciprocal(x: &Vector, steps: Steps) -> Vector {
    let negative = x.map(|x| MINUS_ONE | x & MANTISSA);
    let y = fma(0x3ea5_7ebb, &negative, 0x3fba_2e90);
    let y = fma(&y, &negative, 0x4007_c1f2);
    // Inverting the exponent bits negates the exponent; the half makes up for the bias.
    let scale = mul(HALF, &x.map(|x| !x & !MANTISSA));
    let mut y = newton(&y, &negative);
    if let Steps::Two = steps {
        y = newton(&y, &negative);
    }
    mul(&y, &scale).zip(x, copy_sign)
}

fn newton(y: &Vector, negative: &Vector) -> Vector {
    fma(y, &fma(negative, y, ONE), y)
}

/// `recip_tile` without legacy_compat.
pub(super) fn recip(x: &Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => {
            reciprocal(x, Steps::One).map(|y| stochastic_round(Rounding::Bfloat16, y))
        }
        DstWidth::Bits32 => reciprocal(x, Steps::Two),
    }
}

/// `recip_tile` with legacy_compat, its default; also the second half of the legacy rsqrt.
pub(super) fn legacy_reciprocal(x: &Vector, width: DstWidth) -> Vector {
    let negative = x.map(|x| set_exponent(x | SIGN, 126));
    let guess = 0x3fb8_aa3b;
    let y = mul(guess, &add(TWO, &mul(&negative, guess)));
    let y = mul(&y, &add(TWO, &mul(&negative, &y)));
    let y = mul(&y, &add(TWO, &mul(&negative, &y)));
    let y = y.zip(x, |y, x| {
        let e = exponent(y) as i32 - exponent(x) as i32 + 126;
        let scaled = if e < 0 { 0 } else { set_exponent(y, e as u32) };
        scaled ^ x & SIGN
    });
    match width {
        DstWidth::Bits16 => y.map(|y| stochastic_round(Rounding::Bfloat16, y)),
        DstWidth::Bits32 => y,
    }
}

/// `div_binary_tile`.
pub(super) fn divide(x: &Vector, y: &Vector, width: DstWidth) -> Vector {
    let inverse = reciprocal(y, Steps::Two);
    let quotient = mul(x, &inverse);
    let quotient = match width {
        DstWidth::Bits16 => quotient,
        DstWidth::Bits32 => {
            let rest = sub(x, &mul(&quotient, y));
            let corrected = fma(&rest, &inverse, &quotient);
            corrected.zip(&quotient, |c, q| if exponent(q) == 255 { q } else { c })
        }
    };
    let quotient = quotient.zip3(x, y, |q, x, y| {
        let of_zero = if x == 0 { QUIET_NAN } else { INFINITY | x & SIGN };
        if y == 0 { of_zero } else { q }
    });
    match width {
        DstWidth::Bits16 => quotient.map(nearest_even_bfloat16),
        DstWidth::Bits32 => quotient,
    }
}
