//! Functions of one lane whose number of steps is no constant, or too large to spell out.

use crate::bits::{INFINITY, MANTISSA, ONE, SIGN, exponent};
use crate::sfpu::lane::{
    self, Rounding, cast_sign_magnitude, fma, maximum, minimum, set_exponent, stochastic_round,
};
use crate::sfpu::program::instruction::{estimate_reciprocal, multiply_high, multiply_low, shift};
use crate::sfpu::program::run::Operands;
use crate::{Chip, DstWidth, Lanes};

/// Exact terms of the series of `polygamma_tile`.
const TERMS: u32 = 6;
const ONE_HALF: u32 = 0x3f00_0000;

/// By squares: the number of products depends on the exponent.
pub(super) fn power(it: &mut Operands<'_>) {
    let exponent = it.scalars.first().copied().unwrap_or(0);
    let (chip, width_mask) = (it.chip, it.width.mask());
    let tile = it.tiles[it.out].map(|value| {
        let (mut square, mut result, mut left) = (value, value, exponent.saturating_sub(1));
        while left > 0 {
            if left & 1 == 1 {
                result = fma(chip, result, square, 0);
            }
            square = fma(chip, square, square, 0);
            left >>= 1;
        }
        lane::store(if exponent == 0 { ONE } else { result }, width_mask)
    });
    it.replace(it.out, tile);
}

/// `gcd_tile` of 32-bit integers.
pub(super) fn greatest_divisor(it: &mut Operands<'_>) {
    let tile = of_two(it, |a, b| gcd(a, b, 30));
    it.replace(it.out, tile);
}

/// `lcm_tile`: exact for magnitudes below 2^15.
pub(super) fn least_multiple(it: &mut Operands<'_>) {
    let (chip, constants) = (it.chip, it.constants);
    let tile = of_two(it, |a, b| {
        let inverse = reciprocal_of_integer(chip, gcd(a, b, 14), constants);
        let quotient = fma(chip, cast_sign_magnitude(absolute(a)), inverse, 0);
        multiply16(chip, stochastic_round(Rounding::Unsigned16, quotient), absolute(b))
    });
    it.replace(it.out, tile);
}

fn of_two(it: &Operands<'_>, f: impl Fn(u32, u32) -> u32) -> Lanes {
    std::array::from_fn(|at| f(it.tiles[0][at], it.tiles[1][at]))
}

/// SFPABS of an integer; -2^31 stays.
fn absolute(a: u32) -> u32 {
    (a as i32).wrapping_abs() as u32
}

/// The binary algorithm, for some steps; the last one leaves out its final subtraction.
fn gcd(a: u32, b: u32, steps: u32) -> u32 {
    let common = (a | b) & (a | b).wrapping_neg();
    let zeros = common.leading_zeros();
    // Whatever is odd when divided by the common power of two becomes b.
    let (a, b) = if shift(b, zeros) == 0 { (b, a) } else { (a, b) };
    let (mut negative, mut b) = (absolute(a).wrapping_neg(), absolute(b));
    for step in 1..=steps {
        let a = absolute(negative);
        let lowest = negative & a;
        if lowest == 0 {
            break;
        }
        let odd = shift(a, lowest.leading_zeros().wrapping_sub(zeros));
        let larger = maximum(odd, b);
        b = minimum(odd, b);
        if step < steps {
            negative = b.wrapping_sub(larger);
        }
    }
    b
}

/// 1 / v by two Newton steps from a linear estimate.
fn reciprocal_of_integer(chip: Chip, v: u32, [offset, slope, _]: [u32; 3]) -> u32 {
    let value = cast_sign_magnitude(v);
    let m = set_exponent(value | SIGN, 126);
    let mut y = fma(chip, m, slope, offset);
    for _ in 0..2 {
        y = fma(chip, fma(chip, y, m, ONE), y, y);
    }
    let unbiased = |x: u32| exponent(x).wrapping_sub(127);
    set_exponent(y, unbiased(y).wrapping_sub(unbiased(value).wrapping_sub(126)))
}

/// Products of bytes in fp32, added as integers, or both halves of a product of 23 bits.
fn multiply16(chip: Chip, a: u32, b: u32) -> u32 {
    if chip.multiplies_integers() {
        return (multiply_high(a, b) << 23).wrapping_add(multiply_low(a, b));
    }
    let low = |x: u32| cast_sign_magnitude(x & 0xff);
    let high = |x: u32| cast_sign_magnitude(x >> 8);
    let product = |x: u32, y: u32| stochastic_round(Rounding::Unsigned16, fma(chip, x, y, 0));
    product(low(a), low(b))
        .wrapping_add(product(low(a), high(b)) << 8)
        .wrapping_add(product(high(a), low(b)) << 8)
        .wrapping_add(product(high(a), high(b)) << 16)
}

/// `polygamma_tile`: a few terms of the series, and the rest by the Euler-Maclaurin formula. Its
/// scalars are the order, and (-1)^(n + 1) n!, as fp32.
pub(super) fn polygamma(it: &mut Operands<'_>) {
    let scalar = |at: usize| it.scalars.get(at).copied().unwrap_or(0);
    let order = f32::from_bits(scalar(0)) as u32;
    let tail = Tail::new(order);
    let (scale, constants, width, chip) = (scalar(1), it.constants, it.width, it.chip);
    let tile = it.tiles[it.out].map(|x| {
        let inverse =
            |k: u32| reciprocal(chip, fma(chip, ONE, x, (k as f32).to_bits()), constants, width);
        let mut sum = 0;
        for k in 0..TERMS {
            let term = inverse(k);
            sum = fma(chip, ONE, sum, times_power(chip, term, term, order));
        }
        let result = fma(chip, tail.added(chip, inverse(TERMS), order, sum), scale, 0);
        match width {
            DstWidth::Bits16 => {
                lane::store(stochastic_round(Rounding::Bfloat16, result), width.mask())
            }
            DstWidth::Bits32 => lane::store(result, width.mask()),
        }
    });
    it.replace(it.out, tile);
}

/// `value` times a power of `v`: one factor after another, or by squares.
fn times_power(chip: Chip, value: u32, v: u32, order: u32) -> u32 {
    if !chip.powers_by_squares() {
        return (0..order).fold(value, |power, _| fma(chip, power, v, 0));
    }
    let (mut value, mut square, mut left) = (value, v, order);
    while left > 0 {
        if left & 1 == 1 {
            value = fma(chip, value, square, 0);
        }
        square = fma(chip, square, square, 0);
        left >>= 1;
    }
    value
}

/// The coefficients of the rest, which the kernel computes in fp32.
struct Tail {
    coefficients: [u32; 4],
}

impl Tail {
    fn new(order: u32) -> Tail {
        let n = |more: u32| (order + more) as f32;
        let three = n(1) * n(2) * n(3);
        let coefficients = [three * n(4) * n(5) / 30240.0, -three / 720.0, n(1) / 12.0, 1.0 / n(0)];
        Tail { coefficients: coefficients.map(f32::to_bits) }
    }

    /// The sum with what is left of the series: a power of `z` times the formula. By squares, the
    /// last product is rounded before it is added.
    fn added(&self, chip: Chip, z: u32, order: u32, sum: u32) -> u32 {
        let formula = self.at(chip, z);
        if chip.powers_by_squares() {
            return fma(chip, ONE, sum, times_power(chip, formula, z, order));
        }
        fma(chip, times_power(chip, z, z, order.saturating_sub(1)), formula, sum)
    }

    fn at(&self, chip: Chip, z: u32) -> u32 {
        let [c6, c4, c2, c0] = self.coefficients;
        let fma = |x, y, z| fma(chip, x, y, z);
        let square = fma(z, z, 0);
        let series = fma(square, fma(square, fma(square, c6, c4), c2), c0);
        fma(ONE, series, fma(ONE_HALF, z, 0))
    }
}

/// 1 / v from a quadratic estimate; with a 32-bit Dst by one Newton step more.
fn reciprocal(chip: Chip, v: u32, [c2, c1, c0]: [u32; 3], width: DstWidth) -> u32 {
    const MINUS_ONE_EXPONENT: u32 = 0xbf80_0000;
    let fma = |x, y, z| fma(chip, x, y, z);
    if chip.estimates_reciprocals() {
        return estimated_reciprocal(fma, v, c2, width);
    }
    let m = MINUS_ONE_EXPONENT | v & MANTISSA;
    let steps = match width {
        DstWidth::Bits16 => 1,
        DstWidth::Bits32 => 2,
    };
    let estimate = fma(fma(c2, m, c1), m, c0);
    let y = (0..steps).fold(estimate, |y, _| fma(y, fma(m, y, ONE), y));
    let scale = fma(ONE_HALF, !v & (SIGN | INFINITY), 0);
    lane::copy_sign(fma(y, scale, 0), v)
}

/// 1 / v from the unit's estimate, with 2.0 given; with a 32-bit Dst by one Newton step more.
fn estimated_reciprocal(
    fma: impl Fn(u32, u32, u32) -> u32,
    v: u32,
    two: u32,
    width: DstWidth,
) -> u32 {
    let y = estimate_reciprocal(v);
    let error = fma(v, y, two ^ SIGN);
    if error & SIGN == 0 {
        return y;
    }
    let y = fma(y ^ SIGN, error, SIGN);
    match width {
        DstWidth::Bits16 => y,
        DstWidth::Bits32 => fma(y, fma(v ^ SIGN, y, two), SIGN),
    }
}
