//! Functions that choose: comparisons, classes of numbers, limits, roundings to whole numbers.

use super::Mathematics::{Counted, Real};
use super::Row;

/// One if so.
fn is(claim: bool) -> f64 {
    f64::from(u8::from(claim))
}

pub(super) const ROWS: &[Row] = &[
    ("eqz_tile", Real(|x, _| is(x[0] == 0.0))),
    ("nez_tile", Real(|x, _| is(x[0] != 0.0))),
    ("gtz_tile", Real(|x, _| is(x[0] > 0.0))),
    ("gez_tile", Real(|x, _| is(x[0] >= 0.0))),
    ("ltz_tile", Real(|x, _| is(x[0] < 0.0))),
    ("lez_tile", Real(|x, _| is(x[0] <= 0.0))),
    ("unary_eq_tile", Real(|x, s| is(x[0] == s[0]))),
    ("unary_ne_tile", Real(|x, s| is(x[0] != s[0]))),
    ("unary_gt_tile", Real(|x, s| is(x[0] > s[0]))),
    ("unary_ge_tile", Real(|x, s| is(x[0] >= s[0]))),
    ("unary_lt_tile", Real(|x, s| is(x[0] < s[0]))),
    ("unary_le_tile", Real(|x, s| is(x[0] <= s[0]))),
    ("eq_binary_tile", Real(|x, _| is(x[0] == x[1]))),
    ("ne_binary_tile", Real(|x, _| is(x[0] != x[1]))),
    ("lt_binary_tile", Real(|x, _| is(x[0] < x[1]))),
    ("gt_binary_tile", Real(|x, _| is(x[0] > x[1]))),
    ("le_binary_tile", Real(|x, _| is(x[0] <= x[1]))),
    ("ge_binary_tile", Real(|x, _| is(x[0] >= x[1]))),
    ("isclose_binary_tile", Real(|x, s| is((x[0] - x[1]).abs() <= s[1] + s[0] * x[1].abs()))),
    ("isinf_tile", Real(|x, _| is(x[0].is_infinite()))),
    ("isposinf_tile", Real(|x, _| is(x[0] == f64::INFINITY))),
    ("isneginf_tile", Real(|x, _| is(x[0] == f64::NEG_INFINITY))),
    ("isnan_tile", Real(|x, _| is(x[0].is_nan()))),
    ("isfinite_tile", Real(|x, _| is(x[0].is_finite()))),
    ("logical_not_tile", Real(|x, _| is(x[0] == 0.0))),
    ("signbit_tile", Real(|x, _| is(x[0].is_sign_negative()))),
    ("sign_tile", Real(|x, _| is(x[0] > 0.0) - is(x[0] < 0.0))),
    ("heaviside_tile", Real(|x, s| if x[0] == 0.0 { s[0] } else { is(x[0] > 0.0) })),
    ("where_tile", Real(|x, _| if x[0] == 0.0 { x[2] } else { x[1] })),
    ("mask_tile", Real(|x, _| if x[1] == 0.0 { 0.0 } else { x[0] })),
    ("abs_tile", Real(|x, _| x[0].abs())),
    ("negative_tile", Real(|x, _| -x[0])),
    ("identity_tile", Real(|x, _| x[0])),
    ("copy_dest_values", Real(|x, _| x[0])),
    ("fill_tile", Real(|_, s| s[0])),
    ("binary_max_tile", Real(|x, _| x[0].max(x[1]))),
    ("binary_min_tile", Real(|x, _| x[0].min(x[1]))),
    ("unary_max_tile", Real(|x, s| x[0].max(s[0]))),
    ("unary_min_tile", Real(|x, s| x[0].min(s[0]))),
    ("relu_tile", Real(|x, _| x[0].max(0.0))),
    ("relu_min_tile", Real(|x, s| x[0].max(s[0]))),
    ("relu_max_tile", Real(|x, s| x[0].min(s[0]).max(0.0))),
    ("clamp_tile", Real(|x, s| x[0].max(s[0]).min(s[1]))),
    ("hardtanh_tile", Real(|x, s| x[0].max(s[0]).min(s[1]))),
    ("threshold_tile", Real(|x, s| if x[0] <= s[0] { s[1] } else { x[0] })),
    ("hardshrink_tile", Real(|x, s| if x[0].abs() > s[0] { x[0] } else { 0.0 })),
    ("ceil_tile", Real(|x, _| x[0].ceil())),
    ("floor_tile", Real(|x, _| x[0].floor())),
    ("trunc_tile", Real(|x, _| x[0].trunc())),
    ("frac_tile", Real(|x, _| x[0].fract())),
    (
        "round_tile",
        Counted(|x, s| (x[0] * 10_f64.powf(s[0])).round_ties_even() / 10_f64.powf(s[0])),
    ),
];
