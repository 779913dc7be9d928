//! The Gaussian error linear unit: by piecewise polynomials, by a rational erf, or by table.

use super::HALF;
use super::MINUS_ONE;
use super::exponential::power_of_two;
use super::lane::{Rounding, maximum, minimum, stochastic_round};
use super::reciprocal::{Steps, reciprocal};
use super::vector::{Vector, add, fma, mul, sub};
use crate::DstWidth;
use crate::bits::{ONE, SIGN};

/// Below this the accurate variants return 0.
const LOWEST: u32 = 0xc0b1_5cef;

/// `gelu_tile` without approximation.
pub(super) fn gelu(x: &Vector, width: DstWidth) -> Vector {
    match width {
        DstWidth::Bits16 => gelu_piecewise(x),
        DstWidth::Bits32 => gelu_rational(x),
    }
}

/// `gelu_tile` with approximation: x/2 plus a linear function of |x| from a table of six.
pub(super) fn gelu_by_table(x: &Vector) -> Vector {
    let slope = x.map(|x| table_entry(x & !SIGN, &SLOPES));
    let offset = x.map(|x| table_entry(x & !SIGN, &OFFSETS));
    let even = fma(&slope, &x.map(|x| x & !SIGN), &offset);
    fma(x, HALF, &even)
}

const SLOPES: [u32; 6] = halves([0x322b, 0x37e7, 0x38f3, 0x38e1, 0x3852, 0x3800]);
const OFFSETS: [u32; 6] = halves([0x86d8, 0xb122, 0xb479, 0xb437, 0xafa4, 0x7c00]);

/// fp16 to fp32 as the table look-up does it: exponent 31 stands for zero.
const fn halves(table: [u16; 6]) -> [u32; 6] {
    let mut out = [0; 6];
    let mut i = 0;
    while i < 6 {
        let (h, e) = (table[i] as u32, (table[i] as u32 >> 10) & 31);
        assert!(e != 0, "no denormal is in the table");
        out[i] = if e == 31 { 0 } else { (h >> 15) << 31 | (e + 112) << 23 | (h & 0x3ff) << 13 };
        i += 1;
    }
    out
}

/// The entry for |x| below 0.5, 1, 1.5, 2, 3, or above.
#[inline(always)]
fn table_entry(magnitude: u32, table: &[u32; 6]) -> u32 {
    let mut entry = table[5];
    let bounds = [0x3f00_0000, ONE, 0x3fc0_0000, 0x4000_0000, 0x4040_0000];
    for i in (0..5).rev() {
        entry = if magnitude < bounds[i] { table[i] } else { entry };
    }
    entry
}

fn gelu_piecewise(x: &Vector) -> Vector {
    let square = mul(x, x);
    let tail = tail(x, &square);
    let middle = middle(x, &square);
    // A comparison of floats is the sign of a difference, as the SFPU makes it.
    let above_lowest = sub(x, LOWEST);
    let above_tail = sub(x, 0xc048_0000);
    let above_middle = sub(x, 0x4032_0000);
    let y = tail.zip(&above_lowest, |y, d| if (d as i32) > 0 { y } else { 0 });
    let inner = middle.zip3(x, &above_middle, |y, x, d| if d & SIGN == 0 { x } else { y });
    let is_inner = above_lowest
        .zip(&above_tail, |low, tail| u32::from(((low as i32) > 0) & (tail & SIGN == 0)));
    y.zip3(&inner, &is_inner, |y, inner, is_inner| {
        stochastic_round(Rounding::Bfloat16, if is_inner != 0 { inner } else { y })
    })
}

/// x * exp(-x*x/2) * polynomial, for x below -3.125.
fn tail(x: &Vector, square: &Vector) -> Vector {
    let t = add(0x42fe_0000, &mul(square, 0xbf38_aa3b));
    let exp = power_of_two(&t, 0x3f80_3885);
    let mut polynomial = fma(x, 0x3a47_1981, 0x3c62_4345);
    for coefficient in [0x3dc3_6818, 0x3e9b_7e8e] {
        polynomial = fma(x, &polynomial, coefficient);
    }
    let t = add(0x3ec0_0000, &mul(&exp, &polynomial));
    mul(x, &sub(&t, 0x3ec0_0000))
}

/// x * (0.5 + x * polynomial(x*x)), for x from -3.125 to 2.78125.
fn middle(x: &Vector, square: &Vector) -> Vector {
    let mut polynomial = fma(square, 0x33ab_6a49, 0xb67f_907a);
    for coefficient in [0x38ab_9292, 0xba8c_7afe, 0x3c20_1ac3, 0xbd87_e84c, 0x3ecc_422a] {
        polynomial = fma(square, &polynomial, coefficient);
    }
    mul(x, &add(HALF, &mul(x, &polynomial)))
}

/// x * (1 + erf(x / sqrt 2)) / 2 with erf as a quotient of polynomials.
fn gelu_rational(x: &Vector) -> Vector {
    let scaled = mul(x, 0x3f35_04f3).map(|t| minimum(t, 0x4120_0000));
    let square = mul(&scaled, &scaled);
    let mut above = fma(0xaf9d_680c, &square, 0x32eb_3b7a);
    let mut below = fma(0xacec_f824, &square, 0xb171_9360);
    for (numerator, denominator) in [
        (0x3794_4be8, 0x35b0_94db),
        (0x3a20_b676, 0x390a_3143),
        (0x3bb8_4182, 0x3b00_1800),
        (0x3d7e_7fa1, 0x3ca0_e975),
        (0x3e5b_edcd, 0x3e04_ba56),
        (0x3f90_6eba, 0x3f06_0f6b),
    ] {
        above = fma(&above, &square, numerator);
        below = fma(&below, &square, denominator);
    }
    let below = fma(&below, &square, ONE);
    let above = mul(&above, &scaled);
    let erf = mul(&above, &reciprocal(&below, Steps::Two));
    let erf = erf.map(|erf| minimum(maximum(MINUS_ONE, erf), ONE));

    let y = mul(x, &add(HALF, &mul(HALF, &erf)));
    let tiny = mul(0x3300_0000, x);
    let at_minus_one = sub(&erf, MINUS_ONE);
    let y = y.zip3(&tiny, &at_minus_one, |y, tiny, d| if d == 0 { tiny } else { y });
    y.zip(&sub(x, LOWEST), |y, d| if (d as i32) > 0 { y } else { 0 })
}
