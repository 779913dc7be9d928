//! Arithmetic, powers, exponentials, trigonometry and activations.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

use tilewright_tile::bound::{erf, erfc, gelu, sigmoid, silu};

use super::Mathematics::{Counted, Real};
use super::Row;
use super::special::{bessel_i0, bessel_i1, digamma, erf_inv, ln_gamma, polygamma};

/// ln(1 + exp(x)), without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// A half that the sign chooses: the first above zero, the second times exp(x) - 1 below.
fn exponential_below(x: f64, above: f64, below: f64) -> f64 {
    if x > 0.0 { above } else { below * x.exp_m1() }
}

/// GELU by the hyperbolic tangent.
fn gelu_tanh(x: f64) -> f64 {
    0.5 * x * (1.0 + ((2.0 / PI).sqrt() * (x + 0.044715 * x * x * x)).tanh())
}

/// The slope of GELU: the normal distribution function, and x times its density.
fn gelu_slope(x: f64) -> f64 {
    let density = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0 * (-0.5 * x * x).exp();
    0.5 * erfc(-x * FRAC_1_SQRT_2) + x * density
}

/// x² with a slope on the right, and an exponential with another one on the left.
fn xielu(x: f64, right: f64, left: f64) -> f64 {
    let curved = if x > 0.0 { right * x * x } else { left * (x.exp_m1() - x) };
    curved + 0.5 * x
}

/// The number of a bf16 pattern.
fn of_bf16(pattern: f64) -> f64 {
    f64::from(f32::from_bits((pattern as u32) << 16))
}

/// What is left of x, which has the sign of y.
fn modulo(x: f64, y: f64) -> f64 {
    let left = x % y;
    if left != 0.0 && (left < 0.0) != (y < 0.0) { left + y } else { left }
}

/// x·ln(y), which is 0 for x = 0.
fn x_log_y(x: f64, y: f64) -> f64 {
    if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln() }
}

pub(super) const ROWS: &[Row] = &[
    ("add_unary_tile", Real(|x, s| x[0] + s[0])),
    ("sub_unary_tile", Real(|x, s| x[0] - s[0])),
    ("mul_unary_tile", Real(|x, s| x[0] * s[0])),
    ("div_unary_tile", Real(|x, s| x[0] * s[0])),
    ("rsub_unary_tile", Real(|x, s| s[0] - x[0])),
    ("rsub_tile", Real(|x, s| s[0] - x[0])),
    ("add_binary_tile", Real(|x, _| x[0] + x[1])),
    ("sub_binary_tile", Real(|x, _| x[0] - x[1])),
    ("rsub_binary_tile", Real(|x, _| x[1] - x[0])),
    ("mul_binary_tile", Real(|x, _| x[0] * x[1])),
    ("div_binary_tile", Real(|x, _| x[0] / x[1])),
    ("addcmul_tile", Real(|x, s| x[0] + s[0] * x[1] * x[2])),
    ("addcdiv_tile", Real(|x, s| x[0] + s[0] * x[1] / x[2])),
    ("lerp_tile", Real(|x, _| x[0] + x[2] * (x[1] - x[0]))),
    ("mac_tile", Real(|x, _| x[0] * x[1] + x[2])),
    ("snake_beta_tile", Real(|x, _| x[0] + (x[1] * x[0]).sin().powi(2) / x[2])),
    ("square_tile", Real(|x, _| x[0] * x[0])),
    ("sqrt_tile", Real(|x, _| x[0].sqrt())),
    ("rsqrt_tile", Real(|x, _| x[0].sqrt().recip())),
    ("cbrt_tile", Real(|x, _| x[0].cbrt())),
    ("recip_tile", Real(|x, _| x[0].recip())),
    ("power_tile", Real(|x, s| x[0].powf(s[0]))),
    ("power_iterative_tile", Counted(|x, s| x[0].powf(s[0]))),
    ("power_binary_tile", Real(|x, _| x[0].powf(x[1]))),
    ("rpow_tile", Real(|x, s| s[0].powf(x[0]))),
    ("rdiv_tile", Real(|x, s| s[0] / x[0])),
    ("rdiv_tile<Trunc>", Real(|x, s| (s[0] / x[0]).trunc())),
    ("rdiv_tile<Floor>", Real(|x, s| (s[0] / x[0]).floor())),
    ("fmod_tile", Real(|x, s| x[0] % s[0])),
    ("remainder_tile", Real(|x, s| modulo(x[0], s[0]))),
    ("fmod_binary_tile", Real(|x, _| x[0] % x[1])),
    ("remainder_binary_tile", Real(|x, _| modulo(x[0], x[1]))),
    ("exp_tile", Real(|x, _| x[0].exp())),
    ("exp_tile<false,scale>", Counted(|x, s| (x[0] * of_bf16(s[0])).exp())),
    ("exp2_tile", Real(|x, _| x[0].exp2())),
    ("expm1_tile", Real(|x, _| x[0].exp_m1())),
    ("log_tile", Real(|x, _| x[0].ln())),
    ("log1p_tile", Real(|x, _| x[0].ln_1p())),
    ("log_with_base_tile", Real(|x, s| x[0].ln() * s[0])),
    ("xlogy_binary_tile", Real(|x, _| x_log_y(x[0], x[1]))),
    ("erf_tile", Real(|x, _| erf(x[0]))),
    ("erfc_tile", Real(|x, _| erfc(x[0]))),
    ("erfinv_tile", Real(|x, _| erf_inv(x[0]))),
    ("i0_tile", Real(|x, _| bessel_i0(x[0]))),
    ("i1_tile", Real(|x, _| bessel_i1(x[0]))),
    ("lgamma_stirling_tile", Real(|x, _| ln_gamma(x[0].max(1.0 - x[0])))),
    ("lgamma_stirling_float_tile", Real(|x, _| ln_gamma(x[0].max(1.0 - x[0])))),
    ("lgamma_adjusted_tile", Real(|x, _| if x[2] < 0.5 { PI.ln() - x[1] - x[0] } else { x[0] })),
    ("digamma_tile", Real(|x, _| digamma(x[0]))),
    ("polygamma_tile", Real(|x, s| polygamma(s[0], s[1], x[0]))),
    ("sin_tile", Real(|x, _| x[0].sin())),
    ("cos_tile", Real(|x, _| x[0].cos())),
    ("tan_tile", Real(|x, _| x[0].tan())),
    ("asin_tile", Real(|x, _| x[0].asin())),
    ("acos_tile", Real(|x, _| x[0].acos())),
    ("atan_tile", Real(|x, _| x[0].atan())),
    ("atan2_binary_tile", Real(|x, _| x[0].atan2(x[1]))),
    ("sinh_tile", Real(|x, _| x[0].sinh())),
    ("cosh_tile", Real(|x, _| x[0].cosh())),
    ("tanh_tile", Real(|x, _| x[0].tanh())),
    ("asinh_tile", Real(|x, _| x[0].asinh())),
    ("acosh_tile", Real(|x, _| x[0].acosh())),
    ("atanh_tile", Real(|x, _| x[0].atanh())),
    ("tanh_derivative_tile", Real(|x, _| x[0].cosh().powi(-2))),
    ("tanhshrink_tile", Real(|x, _| x[0] - x[0].tanh())),
    ("sigmoid_tile", Real(|x, _| sigmoid(x[0]))),
    ("silu_tile", Real(|x, _| silu(x[0]))),
    ("logsigmoid_tile", Real(|x, _| -softplus(-x[0]))),
    ("gelu_tile", Real(|x, _| gelu(x[0]))),
    ("gelu_tanh_tile", Real(|x, _| gelu_tanh(x[0]))),
    ("gelu_derivative_tile", Real(|x, _| gelu_slope(x[0]))),
    ("mish_tile", Real(|x, _| x[0] * softplus(x[0]).tanh())),
    ("hardmish_tile", Real(|x, _| x[0] * (0.5 * x[0] + 1.0).clamp(0.0, 1.0))),
    ("hardsigmoid_tile", Real(|x, _| (x[0] / 6.0 + 0.5).clamp(0.0, 1.0))),
    ("softsign_tile", Real(|x, _| x[0] / (1.0 + x[0].abs()))),
    ("softshrink_tile", Real(|x, s| (x[0].abs() - s[0]).max(0.0).copysign(x[0]))),
    ("softcap_tile", Real(|x, s| s[0] * (x[0] * s[1]).tanh())),
    ("softplus_tile", Real(|x, s| softplus(x[0] * s[0]) * s[1])),
    ("celu_tile", Real(|x, s| if x[0] > 0.0 { x[0] } else { s[0] * (x[0] * s[1]).exp_m1() })),
    ("elu_tile", Real(|x, s| exponential_below(x[0], x[0], s[0]))),
    ("selu_tile", Real(|x, s| s[0] * exponential_below(x[0], x[0], s[1]))),
    ("prelu_tile", Real(|x, s| if x[0] < 0.0 { x[0] * s[0] } else { x[0] })),
    ("leaky_relu_tile", Real(|x, s| if x[0] < 0.0 { x[0] * s[0] } else { x[0] })),
    ("xielu_tile", Real(|x, s| xielu(x[0], s[0], s[1]))),
];
