//! The natural logarithm: exponent and mantissa split around 0.75, then a polynomial.

use super::MINUS_ONE;
use super::lane::{Rounding, cast_sign_magnitude, copy_sign, halve, stochastic_round};
use super::vector::{Vector, add, fma, mul};
use crate::DstWidth;
use crate::bits::{MANTISSA, QUIET_NAN, SIGN, exponent};

/// `log_tile`.
pub(super) fn log(x: &Vector, width: DstWidth) -> Vector {
    let scaled_exponent = x.map(|x| x.wrapping_sub(0x3f40_0000) & !MANTISSA);
    let value = add(x, 0);
    let m = value.zip(&scaled_exponent, u32::wrapping_sub);
    let m = add(MINUS_ONE, &m);
    let polynomial = match width {
        DstWidth::Bits16 => short_polynomial(&m),
        DstWidth::Bits32 => long_polynomial(&m),
    };
    let square = mul(&m, &m);
    let mantissa_part = fma(&polynomial, &square, &m);
    let n = scaled_exponent
        .map(|e| copy_sign(cast_sign_magnitude((e as i32).wrapping_abs() as u32), e));
    let y = fma(&n, 0x33b1_7218, &mantissa_part);

    // Inputs of exponent 0 or 255 (after `halve`) multiply the result, which makes Inf or NaN.
    let halved = value.map(halve);
    let product = mul(&y, &halved);
    let y = y.zip3(
        &product,
        &halved,
        |y, product, halved| {
            if exponent(halved) == 255 { product } else { y }
        },
    );
    let y = y.zip(&value, |y, value| if value & SIGN == 0 { y } else { QUIET_NAN });
    match width {
        DstWidth::Bits16 => y.map(|y| stochastic_round(Rounding::Bfloat16, y)),
        DstWidth::Bits32 => y,
    }
}

fn short_polynomial(m: &Vector) -> Vector {
    let t = add(&mul(0xbe80_0000, m), 0x3eba_2000);
    fma(&t, m, 0xbf00_4000)
}

fn long_polynomial(m: &Vector) -> Vector {
    let mut t = fma(0xbd49_6000, m, 0x3ddc_2000);
    for coefficient in
        [0xbe06_2000, 0x3e13_a000, 0xbe2a_8000, 0x3e4c_c000, 0xbe80_000d, 0x3eaa_aab9, 0xbf00_0000]
    {
        t = fma(&t, m, coefficient);
    }
    t
}
