//! Exponentials, and the logistic functions and hyperbolic tangent built on them.

use super::HALF;
use super::lane::{
    Rounding, absolute, cast_sign_magnitude, copy_sign, maximum, minimum, set_exponent,
    stochastic_round,
};
use super::reciprocal::{Steps, reciprocal};
use super::vector::{Vector, add, fma, mul, sub};
use crate::DstWidth;
use crate::bits::{HIDDEN, INFINITY, MANTISSA, ONE, SIGN, exponent};

const LOG2_E: u32 = 0x3fb8_aa3b;

/// `exp_tile` without approximation.
pub(super) fn exp(x: &Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => {
            let t = fma(x, LOG2_E, 0x42fe_0000);
            let y = power_of_two(&clamp(&t), 0x3f80_4000);
            y.map(|y| stochastic_round(Rounding::Bfloat16, y))
        }
        DstWidth::Bits32 => accurate_exp(x),
    }
}

/// `exp_tile` with approximation: the integer of a scaled sum, shifted into the exponent.
pub(super) fn exp_approximate(x: &Vector) -> Vector {
    let clamped = x.map(|x| maximum(x, 0xc2b1_0000));
    let t = fma(0x43b8_aa3b, &clamped, 0x46fd_e9a3);
    t.map(|t| stochastic_round(Rounding::Unsigned16, t) << 15)
}

fn clamp(t: &Vector) -> Vector {
    t.map(|t| minimum(maximum(0, t), 0x437f_0000))
}

/// 2^(t - 127) for t in 0..=255, by a quadratic in the fraction whose last coefficient is given.
pub(super) fn power_of_two(t: &Vector, constant: u32) -> Vector {
    let fixed = t.map(to_fixed_point);
    let fraction = fixed.map(|fixed| cast_sign_magnitude(fixed & MANTISSA));
    let inner = fma(&fraction, 0x27ac_a418, 0x33a8_5ada);
    let y = fma(&fraction, &inner, constant);
    y.zip(&fixed, |y, fixed| set_exponent(y, exponent(fixed)))
}

/// The significand shifted by the exponent: SFPSHFT takes 5 bits of amount, negative is right.
#[inline(always)]
fn to_fixed_point(t: u32) -> u32 {
    let shift = exponent(t) as i32 - 127;
    let m = t & MANTISSA | HIDDEN;
    let right = m >> (shift.unsigned_abs() & 31);
    if shift < 0 { right } else { m << (shift as u32 & 31) }
}

/// The accurate exponential: reduction by ln 2 in two parts, then a polynomial.
fn accurate_exp(x: &Vector) -> Vector {
    let whole = mul(x, LOG2_E).map(|t| stochastic_round(Rounding::SignMagnitude16, t));
    let n = whole.map(cast_sign_magnitude);
    let r = fma(&n, 0xbf31_7200, x);
    let r = fma(&n, 0xb5bf_be8e, &r);
    let mut t = fma(0x3ab4_a000, &r, 0x3c09_2f6e);
    for coefficient in [0x3d2a_adad, 0x3e2a_aa28, 0x3eff_fffb, ONE] {
        t = fma(&t, &r, coefficient);
    }
    let y = fma(&t, &r, ONE);
    // Zero, or the NaN that t carries: t is decremented so that Inf is not NaN times zero.
    let nan = mul(&t.map(|t| t.wrapping_sub(1)), 0);
    let exponents = y.zip(&whole, |y, whole| exponent(y).wrapping_add(signed(whole)));
    let huge = add(INFINITY, &nan);
    let edge = exponents.zip3(&huge, &nan, |e, huge, nan| if (e as i32) < 1 { nan } else { huge });
    edge.zip3(&y, &exponents, |edge, y, e| {
        let e = e as i32;
        if (1..255).contains(&e) { set_exponent(y, e as u32) } else { edge }
    })
}

/// The program's two's complement of a sign-magnitude integer: |whole| with the sign bit of it.
#[inline(always)]
fn signed(whole: u32) -> u32 {
    let magnitude = (whole as i32).wrapping_abs() as u32;
    copy_sign(magnitude, whole)
}

/// `sigmoid_tile`.
pub(super) fn sigmoid(x: &Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => logistic(x, width).map(|y| stochastic_round(Rounding::Bfloat16, y)),
        DstWidth::Bits32 => logistic(x, width),
    }
}

/// `silu_tile`.
pub(super) fn silu(x: &Vector, width: DstWidth) -> Vector {
    let y = mul(x, &logistic(x, width));
    match width {
        DstWidth::Bits16 => y.map(|y| stochastic_round(Rounding::Bfloat16, y)),
        DstWidth::Bits32 => y,
    }
}

/// 1 / (1 + exp(-x)).
fn logistic(x: &Vector, width: DstWidth) -> Vector {
    let minus_x = x.map(|x| x ^ SIGN);
    let (exp, steps) = match width {
        DstWidth::Bits16 => {
            let t = add(0x42fe_0000, &mul(&minus_x, LOG2_E));
            (power_of_two(&clamp(&t), 0x3f80_3885), Steps::One)
        }
        DstWidth::Bits32 => (accurate_exp(&minus_x), Steps::Two),
    };
    reciprocal(&add(&exp, ONE), steps)
}

/// `tanh_tile`.
pub(super) fn tanh(x: &Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => tanh_polynomial(x),
        DstWidth::Bits32 => tanh_accurate(x),
    }
}

fn tanh_polynomial(x: &Vector) -> Vector {
    let magnitude = x.map(absolute);
    let mut t = fma(0x3bc0_919e, &magnitude, 0xbd88_7f48);
    for coefficient in [0x3e90_5782, 0xbefa_66db, 0x3cfd_1ca0, 0x3f7f_bec0] {
        t = fma(&t, &magnitude, coefficient);
    }
    let t = mul(&t, &magnitude);
    t.zip(x, |t, x| stochastic_round(Rounding::Bfloat16, copy_sign(minimum(t, ONE), x)))
}

/// expm1(2|x|) / (expm1(2|x|) + 2), with the division by a guess and Newton steps.
fn tanh_accurate(x: &Vector) -> Vector {
    let whole = mul(x, 0x4038_aa3b).map(|t| stochastic_round(Rounding::Unsigned8, t));
    let double = add(x, x).map(|d| d & !SIGN);
    let n = whole.map(cast_sign_magnitude);
    let r = fma(&n, 0xbf31_7218, &double);
    let half_expm1 = half_expm1(&r, &whole);

    let large = fma(&double.map(|d| d.wrapping_sub(1)), 0, ONE);
    let divisor = add(&half_expm1, ONE);
    let guess = divisor.map(|d| 0xfef3_0000_u32.wrapping_sub(d));
    let error = fma(&divisor, &guess, ONE);
    let error = fma(&error, &error, &error);
    let inverse = fma(&guess, &error, &guess);
    let quotient = mul(&half_expm1, &inverse);
    let rest = fma(&divisor, &quotient, &half_expm1);
    let corrected = fma(&rest, &inverse, &quotient);

    let near = corrected.zip(x, |y, x| if exponent(x) < 0x73 { x } else { y });
    let y = near.zip3(&large, &whole, |near, large, whole| if whole < 0x3d { near } else { large });
    y.zip(x, copy_sign)
}

/// (exp(r) * 2^whole - 1) / 2.
fn half_expm1(r: &Vector, whole: &Vector) -> Vector {
    let t = add(&mul(0x394f_0000, r), 0x3ab6_a000);
    let t = fma(&t, r, 0x3c08_8000);
    let t = fma(&t, r, 0x3d2a_aacf);
    let square = mul(r, r);
    let t = fma(&t, r, 0x3e2a_aaae);
    let t = fma(&t, r, HALF);
    let expm1 = fma(&t, &square, r);
    let scale = whole.map(|whole| set_exponent(0, whole.wrapping_add(126)));
    let offset = sub(&scale, HALF);
    fma(&expm1, &scale, &offset)
}
