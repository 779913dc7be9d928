//! Square root and reciprocal square root: a guess by integer subtraction, then Newton steps.
//!
//! Programs return what they store, before the store itself flushes and truncates.

use super::lane::{Rounding, halve, stochastic_round, store};
use super::reciprocal::legacy_reciprocal;
use super::vector::{Vector, add, fma, mul};
use crate::DstWidth;
use crate::bits::{INFINITY, ONE, QUIET_NAN, SIGN};

/// The first guess and one step of the accurate variants: y, x*y and 1 - x*y*y.
struct Refined {
    y: Vector,
    xy: Vector,
    residue: Vector,
}

fn refine(x: &Vector) -> Refined {
    let guess = x.map(|x| 0x5f11_10a0_u32.wrapping_sub(x >> 1));
    let xy = mul(x, &guess);
    let c = mul(&negate(&guess), &xy);
    let t = fma(&c, &add(0x4010_3626, &c), 0x4012_14c9);
    let y = mul(&guess, &t);
    let xy = mul(x, &y);
    let residue = fma(&negate(&y), &xy, ONE);
    Refined { y, xy, residue }
}

/// The first guess of the approximate variants: y, x*y and 1.89 - x*y*y.
fn refine_approximately(x: &Vector) -> Refined {
    let y = x.map(|x| 0x5f0b_3892_u32.wrapping_sub(x >> 1));
    let xy = mul(x, &y);
    let residue = fma(&negate(&y), &xy, 0x3ff2_0bf7);
    Refined { y, xy, residue }
}

/// `rsqrt_tile` without legacy_compat.
pub(super) fn rsqrt(x: &Vector, approx: bool, fast: bool, width: DstWidth) -> Vector {
    let y = if approx {
        let Refined { y, residue, .. } = refine_approximately(x);
        mul(&y, &residue)
    } else {
        let Refined { y, residue, .. } = refine(x);
        fma(&residue, &y.map(halve), &y)
    };
    // +Inf becomes +0 and +0 becomes +Inf.
    let y = y.zip(x, |y, x| {
        let rest = INFINITY.wrapping_sub(x);
        if (rest != 0) & (x != 0) { y } else { rest }
    });
    finish(&y, x, fast, width)
}

/// `sqrt_tile`.
pub(super) fn sqrt(x: &Vector, approx: bool, fast: bool, width: DstWidth) -> Vector {
    let root = if approx {
        let Refined { xy, residue, .. } = refine_approximately(x);
        let root = mul(&xy, &residue);
        root.zip3(&xy, x, |root, xy, x| if x != INFINITY { root } else { xy })
    } else {
        let Refined { y, xy, residue } = refine(x);
        let root = fma(&residue, &mul(0x3f00_0000, &xy), &xy);
        root.zip3(&y, x, |root, y, x| if (x.wrapping_sub(INFINITY) as i32) < 0 { root } else { y })
    };
    finish(&root, x, fast, width)
}

/// `rsqrt_tile` with legacy_compat: a square root, by way of Dst, and the legacy reciprocal.
pub(super) fn rsqrt_legacy(x: &Vector, width: DstWidth) -> Vector {
    let guess = x.map(|x| 0x5f37_0000_u32.wrapping_sub(x >> 1));
    let minus_half_x = mul(0xbf00_0000, x);
    let y = legacy_step(&guess, &minus_half_x);
    let y = legacy_step(&y, &minus_half_x);
    let root = mul(&y, x);
    let root = root.zip(x, |root, x| if x != 0 { root } else { x });
    let width_mask = width.mask();
    legacy_reciprocal(&root.map(|root| store(root, width_mask)), width)
}

fn legacy_step(y: &Vector, minus_half_x: &Vector) -> Vector {
    let t = mul(&mul(y, y), minus_half_x);
    mul(&add(0x3fc0_0000, &t), y)
}

fn negate(x: &Vector) -> Vector {
    x.map(|x| x ^ SIGN)
}

/// NaN for negative inputs unless `fast`, and rounding for a 16-bit Dst.
fn finish(y: &Vector, x: &Vector, fast: bool, width: DstWidth) -> Vector {
    let y = if fast { *y } else { y.zip(x, |y, x| if x & SIGN != 0 { QUIET_NAN } else { y }) };
    match width {
        DstWidth::Bits16 => y.map(|y| stochastic_round(Rounding::Bfloat16, y)),
        DstWidth::Bits32 => y,
    }
}
