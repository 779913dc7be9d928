//! Functions of whole numbers. What does not fit a result's format is cut off.

use super::Mathematics::{Cast, Real, Whole};
use super::Row;

/// One if so.
fn is(claim: bool) -> Option<i64> {
    Some(i64::from(claim))
}

/// A shift by a number of places that a word has; all bits are gone else.
fn shifted(places: i64, by: impl Fn(u32) -> i64) -> Option<i64> {
    Some(if (0..32).contains(&places) { by(places as u32) } else { 0 })
}

/// A quotient that is rounded down.
fn floored(x: i64, y: i64) -> Option<i64> {
    let quotient = x.checked_div(y)?;
    Some(if x % y != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient })
}

/// What a quotient that is rounded down leaves.
fn modulo(x: i64, y: i64) -> Option<i64> {
    Some(x - y * floored(x, y)?)
}

fn greatest_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

fn least_multiple(a: i64, b: i64) -> Option<i64> {
    let divisor = greatest_divisor(a, b);
    if divisor == 0 { Some(0) } else { (a / divisor).checked_mul(b).map(i64::abs) }
}

pub(super) const ROWS: &[Row] = &[
    ("typecast_tile", Cast),
    ("add_int_tile", Whole(|x, _| Some(x[0] + x[1]))),
    ("sub_int_tile", Whole(|x, _| Some(x[0] - x[1]))),
    ("rsub_int_tile", Whole(|x, _| Some(x[1] - x[0]))),
    ("mul_int_tile", Whole(|x, _| Some(x[0].wrapping_mul(x[1])))),
    ("add_unary_tile_int32", Whole(|x, s| Some(x[0] + s[0]))),
    ("sub_unary_tile_int32", Whole(|x, s| Some(x[0] - s[0]))),
    ("rsub_unary_int32_tile", Whole(|x, s| Some(s[0] - x[0]))),
    ("fill_tile_int", Whole(|_, s| Some(s[0]))),
    ("identity_tile_uint32", Whole(|x, _| Some(x[0]))),
    ("abs_tile_int32", Whole(|x, _| Some(x[0].abs()))),
    ("negative_tile_int32", Whole(|x, _| Some(-x[0]))),
    ("signbit_tile_int32", Whole(|x, _| is(x[0] < 0))),
    ("relu_tile_int32", Whole(|x, _| Some(x[0].max(0)))),
    ("relu_max_tile_int32", Whole(|x, s| Some(x[0].min(s[0]).max(0)))),
    ("relu_max_tile_uint32", Whole(|x, s| Some(x[0].min(s[0])))),
    ("relu_max_tile_uint16", Whole(|x, s| Some(x[0].min(s[0])))),
    ("relu_min_tile_int32", Whole(|x, s| Some(x[0].max(s[0])))),
    ("relu_min_tile_uint32", Whole(|x, s| Some(x[0].max(s[0])))),
    ("relu_min_tile_uint16", Whole(|x, s| Some(x[0].max(s[0])))),
    ("clamp_tile_int32", Whole(|x, s| Some(x[0].max(s[0]).min(s[1])))),
    ("binary_max_int32_tile", Whole(|x, _| Some(x[0].max(x[1])))),
    ("binary_max_uint32_tile", Whole(|x, _| Some(x[0].max(x[1])))),
    ("binary_min_int32_tile", Whole(|x, _| Some(x[0].min(x[1])))),
    ("binary_min_uint32_tile", Whole(|x, _| Some(x[0].min(x[1])))),
    ("unary_max_int32_tile", Whole(|x, s| Some(x[0].max(s[0])))),
    ("unary_max_uint32_tile", Whole(|x, s| Some(x[0].max(s[0])))),
    ("unary_min_int32_tile", Whole(|x, s| Some(x[0].min(s[0])))),
    ("unary_min_uint32_tile", Whole(|x, s| Some(x[0].min(s[0])))),
    ("bitwise_and_binary_tile", Whole(|x, _| Some(x[0] & x[1]))),
    ("bitwise_or_binary_tile", Whole(|x, _| Some(x[0] | x[1]))),
    ("bitwise_xor_binary_tile", Whole(|x, _| Some(x[0] ^ x[1]))),
    ("bitwise_and_tile", Whole(|x, s| Some(x[0] & s[0]))),
    ("bitwise_or_tile", Whole(|x, s| Some(x[0] | s[0]))),
    ("bitwise_xor_tile", Whole(|x, s| Some(x[0] ^ s[0]))),
    ("bitwise_not_tile", Whole(|x, _| Some(!x[0]))),
    ("left_shift_tile", Whole(|x, s| shifted(s[0], |by| x[0] << by))),
    ("right_shift_tile", Whole(|x, s| Some(x[0] >> s[0].clamp(0, 31)))),
    ("binary_left_shift_tile", Whole(|x, _| shifted(x[1], |by| x[0] << by))),
    ("binary_right_shift_tile", Whole(|x, _| shifted(x[1], |by| x[0] >> by))),
    (
        "binary_logical_right_shift_tile",
        Whole(|x, _| shifted(x[1], |by| i64::from(x[0] as u32 >> by))),
    ),
    ("eq_int_tile", Whole(|x, _| is(x[0] == x[1]))),
    ("ne_int_tile", Whole(|x, _| is(x[0] != x[1]))),
    ("gt_int_tile", Whole(|x, _| is(x[0] > x[1]))),
    ("ge_int_tile", Whole(|x, _| is(x[0] >= x[1]))),
    ("lt_int_tile", Whole(|x, _| is(x[0] < x[1]))),
    ("le_int_tile", Whole(|x, _| is(x[0] <= x[1]))),
    ("unary_eq_tile_int32", Whole(|x, s| is(x[0] == s[0]))),
    ("unary_ne_tile_int32", Whole(|x, s| is(x[0] != s[0]))),
    ("unary_gt_tile_int32", Whole(|x, s| is(x[0] > s[0]))),
    ("unary_ge_tile_int32", Whole(|x, s| is(x[0] >= s[0]))),
    ("unary_lt_tile_int32", Whole(|x, s| is(x[0] < s[0]))),
    ("unary_le_tile_int32", Whole(|x, s| is(x[0] <= s[0]))),
    ("eqz_tile_int32", Whole(|x, _| is(x[0] == 0))),
    ("nez_tile_int32", Whole(|x, _| is(x[0] != 0))),
    ("gtz_tile_int32", Whole(|x, _| is(x[0] > 0))),
    ("gez_tile_int32", Whole(|x, _| is(x[0] >= 0))),
    ("ltz_tile_int32", Whole(|x, _| is(x[0] < 0))),
    ("lez_tile_int32", Whole(|x, _| is(x[0] <= 0))),
    ("eqz_tile_uint16", Whole(|x, _| is(x[0] == 0))),
    ("eqz_tile_uint32", Whole(|x, _| is(x[0] == 0))),
    ("nez_tile_uint16", Whole(|x, _| is(x[0] != 0))),
    ("nez_tile_uint32", Whole(|x, _| is(x[0] != 0))),
    ("div_int32_floor_tile", Whole(|x, _| floored(x[0], x[1]))),
    ("div_int32_trunc_tile", Whole(|x, _| x[0].checked_div(x[1]))),
    ("fmod_int32_tile", Whole(|x, _| x[0].checked_rem(x[1]))),
    ("remainder_int32_tile", Whole(|x, _| modulo(x[0], x[1]))),
    ("remainder_uint32_tile", Whole(|x, _| modulo(x[0], x[1]))),
    ("remainder_tile_uint32", Whole(|x, s| modulo(x[0], s[0]))),
    ("div_int32_tile", Real(|x, _| x[0] / x[1])),
    ("gcd_tile", Whole(|x, _| Some(greatest_divisor(x[0], x[1])))),
    ("lcm_tile", Whole(|x, _| least_multiple(x[0], x[1]))),
    ("quant_tile", Real(|x, s| (x[0] * x[1] + s[0]).round_ties_even().clamp(-127.0, 127.0))),
    ("requant_tile", Real(|x, s| (x[0] * x[1] + s[0]).round_ties_even().clamp(-127.0, 127.0))),
    ("dequant_tile", Real(|x, s| (x[0] + s[0]) * x[1])),
];
