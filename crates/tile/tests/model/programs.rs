//! Model of SFPU functions: the lane programs of section 7.5, statement by statement.

use super::sfpu::{abs, add, cast, fma, mul, store, sub, to_bf16, to_integer};
use super::{exponent, key};
use tilewright_tile::sfpu::{Binary, Sum, Unary};
use tilewright_tile::{DstWidth, Lanes, face};

const ONE: u32 = 0x3f80_0000;
const INF: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;
const SIGN: u32 = 0x8000_0000;

fn with_sign_of(v: u32, sign: u32) -> u32 {
    (v & !SIGN) | (sign & SIGN)
}

fn with_exponent(v: u32, e: i64) -> u32 {
    (v & !INF) | ((e & 255) as u32) << 23
}

fn minimum(x: u32, y: u32) -> u32 {
    if key(y) < key(x) { y } else { x }
}

fn maximum(x: u32, y: u32) -> u32 {
    if key(y) > key(x) { y } else { x }
}

fn less_exponent(v: u32) -> u32 {
    if exponent(v) == 255 { v } else { with_exponent(v, exponent(v) - 1) }
}

fn even_bf16(v: u32) -> u32 {
    v.wrapping_add(32767).wrapping_add((v >> 16) & 1) & 0xffff_0000
}

/// A unary function with its store.
pub fn unary(op: Unary, x: u32, width: DstWidth) -> u32 {
    store(unary_unstored(op, x, width), width)
}

fn unary_unstored(op: Unary, x: u32, width: DstWidth) -> u32 {
    let narrow = width == DstWidth::Bits16;
    let rounded = |y: u32| if narrow { to_bf16(y) } else { y };
    match op {
        Unary::Rsqrt { legacy: true, .. } => rounded(legacy_recip(store(legacy_sqrt(x), width))),
        Unary::Rsqrt { approx, fast, .. } => {
            let y = rsqrt(x, approx);
            rounded(if !fast && x & SIGN != 0 { NAN } else { y })
        }
        Unary::Sqrt { approx, fast } => {
            let y = sqrt(x, approx);
            rounded(if !fast && x & SIGN != 0 { NAN } else { y })
        }
        Unary::Recip { legacy: true } => rounded(legacy_recip(x)),
        Unary::Recip { legacy: false } => rounded(recip(x, if narrow { 1 } else { 2 })),
        Unary::Exp { approx: true } => {
            let t = fma(0x43b8_aa3b, maximum(x, 0xc2b1_0000), 0x46fd_e9a3);
            to_integer(t, 65535, false) << 15
        }
        Unary::Exp { approx: false } if narrow => {
            let t = fma(x, 0x3fb8_aa3b, 0x42fe_0000);
            to_bf16(exp21(minimum(maximum(t, 0), 0x437f_0000), 0x3f80_4000))
        }
        Unary::Exp { approx: false } => exp_accurate(x),
        Unary::Square => mul(x, x),
        Unary::Gelu { fast: true } => gelu_table(x),
        Unary::Gelu { fast: false } if narrow => to_bf16(gelu_narrow(x)),
        Unary::Gelu { fast: false } => gelu_wide(x),
        Unary::Sigmoid => rounded(sigmoid(x, narrow)),
        Unary::Silu => rounded(mul(x, sigmoid(x, narrow))),
        Unary::Tanh if narrow => tanh_narrow(x),
        Unary::Tanh => tanh_wide(x),
        Unary::Log => rounded(log(x, narrow)),
        Unary::Abs => abs(x),
        Unary::Negative => x ^ SIGN,
        Unary::Fill(value) => value,
        Unary::AddScalar(s) => add(x, s),
        Unary::SubScalar(s) => sub(x, s),
        Unary::MulScalar(s) | Unary::DivScalar(s) => mul(x, s),
        Unary::RsubScalar(s) => {
            let y = sub(s, x);
            if narrow { even_bf16(y) } else { y }
        }
    }
}

/// A binary function with its store.
pub fn binary(op: Binary, x: u32, y: u32, width: DstWidth) -> u32 {
    let narrow = width == DstWidth::Bits16;
    let result = match op {
        Binary::Add => add(x, y),
        Binary::Sub => sub(x, y),
        Binary::Rsub => sub(y, x),
        Binary::Mul if narrow && (x == 0 || y == 0) => 0,
        Binary::Mul if narrow => even_bf16(mul(x, y)),
        Binary::Mul => mul(x, y),
        Binary::Div => divide(x, y, narrow),
        Binary::Max => maximum(x, y),
        Binary::Min => minimum(x, y),
    };
    store(result, width)
}

fn divide(x: u32, y: u32, narrow: bool) -> u32 {
    let r = recip(y, 2);
    let mut q = mul(x, r);
    if !narrow && exponent(q) != 255 {
        q = fma(sub(x, mul(q, y)), r, q);
    }
    if y == 0 {
        q = if x == 0 { NAN } else { INF | (x & SIGN) };
    }
    if narrow { even_bf16(q) } else { q }
}

fn rsqrt(x: u32, approx: bool) -> u32 {
    let y = if approx {
        let y = 0x5f0b_3892_u32.wrapping_sub(x >> 1);
        mul(y, fma(y ^ SIGN, mul(x, y), 0x3ff2_0bf7))
    } else {
        let (y, _, o) = newton(x);
        fma(o, less_exponent(y), y)
    };
    let d = INF.wrapping_sub(x);
    if d != 0 && x != 0 { y } else { d }
}

fn newton(x: u32) -> (u32, u32, u32) {
    let y = 0x5f11_10a0_u32.wrapping_sub(x >> 1);
    let c = mul(y ^ SIGN, mul(x, y));
    let y = mul(y, fma(c, add(0x4010_3626, c), 0x4012_14c9));
    let xy = mul(x, y);
    (y, xy, fma(y ^ SIGN, xy, ONE))
}

fn sqrt(x: u32, approx: bool) -> u32 {
    if approx {
        let y = 0x5f0b_3892_u32.wrapping_sub(x >> 1);
        let c = mul(x, y);
        let t = fma(y ^ SIGN, c, 0x3ff2_0bf7);
        return if x == INF { c } else { mul(c, t) };
    }
    let (y, xy, o) = newton(x);
    let is_below = (x.wrapping_sub(INF) as i32) < 0;
    if is_below { fma(o, mul(0x3f00_0000, xy), xy) } else { y }
}

fn legacy_sqrt(x: u32) -> u32 {
    if x == 0 {
        return x;
    }
    let mut y = 0x5f37_0000_u32.wrapping_sub(x >> 1);
    for _ in 0..2 {
        let t = mul(mul(y, y), mul(0xbf00_0000, x));
        y = mul(add(0x3fc0_0000, t), y);
    }
    mul(y, x)
}

fn legacy_recip(x: u32) -> u32 {
    let n = with_exponent(x | SIGN, 126);
    let mut y = 0x3fb8_aa3b;
    for _ in 0..3 {
        y = mul(y, add(0x4000_0000, mul(n, y)));
    }
    let e = exponent(y) - exponent(x) + 126;
    let y = if e < 0 { 0 } else { with_exponent(y, e) };
    if x & SIGN != 0 { y ^ SIGN } else { y }
}

fn recip(x: u32, steps: usize) -> u32 {
    let n = 0xbf80_0000 | (x & 0x7f_ffff);
    let mut y = fma(0x3ea5_7ebb, n, 0x3fba_2e90);
    y = fma(y, n, 0x4007_c1f2);
    for _ in 0..steps {
        y = fma(y, fma(n, y, ONE), y);
    }
    let scale = mul(0x3f00_0000, !x & 0xff80_0000);
    with_sign_of(mul(y, scale), x)
}

fn shift(v: u32, n: i64) -> u32 {
    if n < 0 { v >> (-n & 31) } else { v << (n & 31) }
}

fn exp21(t: u32, last: u32) -> u32 {
    let fixed = shift((t & 0x7f_ffff) | 0x80_0000, exponent(t) - 127);
    let f = cast(fixed & 0x7f_ffff);
    let y = fma(f, fma(f, 0x27ac_a418, 0x33a8_5ada), last);
    with_exponent(y, exponent(fixed))
}

fn exp_accurate(x: u32) -> u32 {
    let k = to_integer(mul(x, 0x3fb8_aa3b), 32767, true);
    let n = cast(k);
    let r = fma(n, 0xb5bf_be8e, fma(n, 0xbf31_7200, x));
    let mut t = 0x3ab4_a000;
    for c in [0x3c09_2f6e, 0x3d2a_adad, 0x3e2a_aa28, 0x3eff_fffb, ONE] {
        t = fma(t, r, c);
    }
    let y = fma(t, r, ONE);
    let nan = mul(t.wrapping_sub(1), 0);
    let magnitude = i64::from(k & !SIGN);
    let e = exponent(y) + if k & SIGN != 0 { -magnitude } else { magnitude };
    if e < 1 {
        nan
    } else if e < 255 {
        with_exponent(y, e)
    } else {
        add(INF, nan)
    }
}

fn sigmoid(x: u32, narrow: bool) -> u32 {
    let e = if narrow {
        let t = add(0x42fe_0000, mul(x ^ SIGN, 0x3fb8_aa3b));
        exp21(minimum(maximum(0, t), 0x437f_0000), 0x3f80_3885)
    } else {
        exp_accurate(x ^ SIGN)
    };
    recip(add(e, ONE), if narrow { 1 } else { 2 })
}

fn tanh_narrow(x: u32) -> u32 {
    let a = abs(x);
    let mut t = 0x3bc0_919e;
    for c in [0xbd88_7f48, 0x3e90_5782, 0xbefa_66db, 0x3cfd_1ca0, 0x3f7f_bec0] {
        t = fma(t, a, c);
    }
    to_bf16(with_sign_of(minimum(mul(t, a), ONE), x))
}

fn tanh_wide(x: u32) -> u32 {
    let k = to_integer(mul(x, 0x4038_aa3b), 255, false);
    let double = add(x, x) & !SIGN;
    let r = fma(cast(k), 0xbf31_7218, double);
    let mut t = add(mul(0x394f_0000, r), 0x3ab6_a000);
    for c in [0x3c08_8000, 0x3d2a_aacf, 0x3e2a_aaae, 0x3f00_0000] {
        t = fma(t, r, c);
    }
    let m = fma(t, mul(r, r), r);
    let scale = with_exponent(0, i64::from(k) + 126);
    let h = fma(m, scale, sub(scale, 0x3f00_0000));
    let y = if k >= 0x3d {
        fma(double.wrapping_sub(1), 0, ONE)
    } else if exponent(x) < 0x73 {
        x
    } else {
        let d = add(h, ONE);
        let g = 0xfef3_0000_u32.wrapping_sub(d);
        let e = fma(d, g, ONE);
        let inverse = fma(g, fma(e, e, e), g);
        let q = mul(h, inverse);
        fma(fma(d, q, h), inverse, q)
    };
    with_sign_of(y, x)
}

fn log(x: u32, narrow: bool) -> u32 {
    let e = x.wrapping_sub(0x3f40_0000) & 0xff80_0000;
    let v = add(x, 0);
    if v & SIGN != 0 {
        return NAN;
    }
    let m = add(0xbf80_0000, v.wrapping_sub(e));
    let t = if narrow {
        fma(add(mul(0xbe80_0000, m), 0x3eba_2000), m, 0xbf00_4000)
    } else {
        let mut t = 0xbd49_6000;
        for c in [
            0x3ddc_2000,
            0xbe06_2000,
            0x3e13_a000,
            0xbe2a_8000,
            0x3e4c_c000,
            0xbe80_000d,
            0x3eaa_aab9,
            0xbf00_0000,
        ] {
            t = fma(t, m, c);
        }
        t
    };
    let n = with_sign_of(cast((e as i32).unsigned_abs()), e);
    let y = fma(n, 0x33b1_7218, fma(t, mul(m, m), m));
    let half = less_exponent(v);
    if exponent(half) == 255 { mul(y, half) } else { y }
}

fn gelu_table(x: u32) -> u32 {
    let half = |h: u16| {
        let e = (h >> 10) & 31;
        if e == 31 {
            return 0;
        }
        let value = (1.0 + f32::from(h & 1023) / 1024.0) * f32::powi(2.0, i32::from(e) - 15);
        (if h >> 15 == 1 { -value } else { value }).to_bits()
    };
    let b = x & !SIGN;
    let (a, c) = match b {
        0..0x3f00_0000 => (0x322b, 0x86d8),
        0x3f00_0000..0x3f80_0000 => (0x37e7, 0xb122),
        0x3f80_0000..0x3fc0_0000 => (0x38f3, 0xb479),
        0x3fc0_0000..0x4000_0000 => (0x38e1, 0xb437),
        0x4000_0000..0x4040_0000 => (0x3852, 0xafa4),
        0x4040_0000.. => (0x3800, 0x7c00),
    };
    fma(x, 0x3f00_0000, fma(half(a), b, half(c)))
}

fn gelu_narrow(x: u32) -> u32 {
    let square = mul(x, x);
    if sub(x, 0xc0b1_5cef) as i32 <= 0 {
        0
    } else if sub(x, 0xc048_0000) & SIGN != 0 {
        let e = exp21(add(0x42fe_0000, mul(square, 0xbf38_aa3b)), 0x3f80_3885);
        let t = fma(x, fma(x, fma(x, 0x3a47_1981, 0x3c62_4345), 0x3dc3_6818), 0x3e9b_7e8e);
        mul(x, sub(add(0x3ec0_0000, mul(e, t)), 0x3ec0_0000))
    } else if sub(x, 0x4032_0000) & SIGN == 0 {
        x
    } else {
        let mut t = 0x33ab_6a49;
        for c in [0xb67f_907a, 0x38ab_9292, 0xba8c_7afe, 0x3c20_1ac3, 0xbd87_e84c, 0x3ecc_422a] {
            t = fma(square, t, c);
        }
        mul(x, add(0x3f00_0000, mul(x, t)))
    }
}

fn gelu_wide(x: u32) -> u32 {
    if sub(x, 0xc0b1_5cef) as i32 <= 0 {
        return 0;
    }
    let s = minimum(mul(x, 0x3f35_04f3), 0x4120_0000);
    let square = mul(s, s);
    let mut above = 0xaf9d_680c;
    for c in
        [0x32eb_3b7a, 0x3794_4be8, 0x3a20_b676, 0x3bb8_4182, 0x3d7e_7fa1, 0x3e5b_edcd, 0x3f90_6eba]
    {
        above = fma(above, square, c);
    }
    let mut below = 0xacec_f824;
    for c in [
        0xb171_9360,
        0x35b0_94db,
        0x390a_3143,
        0x3b00_1800,
        0x3ca0_e975,
        0x3e04_ba56,
        0x3f06_0f6b,
        ONE,
    ] {
        below = fma(below, square, c);
    }
    let erf = mul(mul(above, s), recip(below, 2));
    let erf = minimum(maximum(0xbf80_0000, erf), ONE);
    if sub(erf, 0xbf80_0000) == 0 {
        mul(0x3300_0000, x)
    } else {
        mul(x, add(0x3f00_0000, mul(0x3f00_0000, erf)))
    }
}

/// What `sfpu_reduce` leaves in a tile, place by place, as sums written out by hand.
pub fn sum(sum: Sum, tile: &Lanes) -> Lanes {
    let at = |row: usize, column: usize| tile[face::index(row, column)];
    let chain = |values: [u32; 4]| {
        let [a, b, c, d] = values;
        add(a, add(b, add(c, d)))
    };
    let pairs = |values: [u32; 4]| {
        let [a, b, c, d] = values;
        add(add(a, b), add(c, d))
    };
    std::array::from_fn(|index| {
        let (row, column) = face::position(index);
        let value = match sum {
            // The row of sums.
            Sum::Columns if row == 0 => pairs([0, 1, 2, 3].map(|first: usize| {
                let half =
                    |top: usize| chain([0, 4, 8, 12].map(|next| at(top + first + next, column)));
                add(half(0), half(16))
            })),
            // What was left over of the upper half when the sums were turned about.
            Sum::Columns if row < 4 => pairs([0, 1, 2, 3].map(|first: usize| match row {
                1 => {
                    let rest = add(at(8 + first, column), at(12 + first, column));
                    add(at(4 + first, column), rest)
                }
                2 => add(at(8 + first, column), at(12 + first, column)),
                _ => at(12 + first, column),
            })),
            Sum::Rows if column < 16 && column % 2 == 0 => {
                let of = |pair: usize| chain([0, 1, 16, 17].map(|next| at(row, 2 * pair + next)));
                let left = |pair: usize, by: usize| (pair + 8 - by) % 8;
                let by_4 = |pair| add(of(pair), of(left(pair, 4)));
                let by_2 = |pair| add(by_4(pair), by_4(left(pair, 2)));
                add(by_2(column / 2), by_2(left(column / 2, 1)))
            }
            Sum::Columns | Sum::Rows => return tile[index],
        };
        store(value, DstWidth::Bits32)
    })
}
