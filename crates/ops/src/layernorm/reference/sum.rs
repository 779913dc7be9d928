//! Sums over many values as the kernels make them: tiles elementwise, then 32 lanes in two parts.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, LANES, Multiplication};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, Fidelity, SourceFormats};

use super::WIDTH;

/// Adds 32 sums up by the matrix unit, each split into ten bits and the rest.
///
/// The parts add up to the sum exactly, unless the rest is a denormal and so becomes zero; its own
/// error goes through unchanged. What the matrix unit adds depends on the parts' exponents, which
/// the sum's error leaves open: it is taken at both ends.
pub(super) fn reduce(dim: ReduceDim, growth: Growth, sums: &[Approx; LANES]) -> Approx {
    if sums.iter().any(|sum| !sum.is_finite()) {
        return Approx::special();
    }
    let value = sums.iter().map(|sum| sum.value).sum();
    let carried: f64 = sums.iter().map(|sum| sum.error).sum();
    let most = sums.map(|sum| high_part(sum.most() * sum.value.signum()));
    let least = sums.map(|sum| high_part(sum.least() * sum.value.signum()));
    let mut rounded = rounding(dim, growth, sums, &most);
    // Errors are small: ten bits mostly leave the same of both ends.
    if least != most {
        rounded = rounded.max(rounding(dim, growth, sums, &least));
    }
    let lost: f64 = sums.iter().map(|sum| lost_by_split(*sum)).sum();
    Approx::new(value, carried + rounded + lost)
}

/// What splitting a sum can lose: below 2^-126 the vector unit makes the rest zero. The rest is a
/// multiple of the sum's last place, but not always less than the last of the ten bits: a phase of
/// the product that is itself a denormal leaves its bits to the rest.
fn lost_by_split(sum: Approx) -> f64 {
    const LOWEST: f64 = f32::MIN_POSITIVE as f64;
    let last_place = unit(sum.least()) / f64::from(1 << (24 - 10));
    let can_be_denormal = sum.most() > 0.0 && (sum.least() == 0.0 || last_place < LOWEST);
    if can_be_denormal { LOWEST.min(sum.most()) } else { 0.0 }
}

/// What the matrix unit's roundings can add to the sum of 32 split sums with such high parts.
fn rounding(dim: ReduceDim, growth: Growth, sums: &[Approx; LANES], high: &[Approx; LANES]) -> f64 {
    let mut sum = Accumulator::new(WIDTH, growth, Approx::ZERO);
    let mut add = |parts: &[Approx; LANES]| match dim {
        ReduceDim::Row => sum.add_row(multiplication(dim), parts, Approx::exact(1.0)),
        ReduceDim::Column | ReduceDim::Scalar => {
            sum.add_column(multiplication(dim), parts, Approx::exact(1.0));
        }
    };
    add(high);
    let low = sums.map(|sum| low_part(sum.most() * sum.value.signum()));
    let registers = low.map(|low| {
        bound::unpack(low, DataFormat::Float32, DataFormat::Tf32).unwrap_or(Approx::special())
    });
    add(&registers);
    // That the rest is known only within a range is no error: the two parts belong together.
    sum.approx().error - low.iter().map(|low| low.error).sum::<f64>()
}

/// The kernels' products: HiFi4, ones in bf16, the data in Tf32.
fn multiplication(dim: ReduceDim) -> Multiplication {
    let (data, ones) = (DataFormat::Tf32, DataFormat::Bfloat16);
    let formats = match dim {
        ReduceDim::Row => SourceFormats { a: ones, b: data },
        ReduceDim::Column | ReduceDim::Scalar => SourceFormats { a: data, b: ones },
    };
    Multiplication { fidelity: Fidelity::HiFi4, formats }
}

/// The part of ten bits, with a last bit that must be rounded wherever one can be.
fn high_part(sum: f64) -> Approx {
    let unit = unit(sum.abs());
    let cut = (sum.abs() / unit) as u64;
    let odd = if cut > 0 { cut | 1 } else { 0 };
    Approx::exact(odd as f64 * unit * sum.signum())
}

/// The rest: anything between zero and the last place of the part of ten bits.
fn low_part(sum: f64) -> Approx {
    let half = unit(sum.abs()) / 2.0;
    if sum == 0.0 { Approx::ZERO } else { Approx::new(half * sum.signum(), half) }
}

/// The last place of a value cut to ten significant bits.
fn unit(value: f64) -> f64 {
    let power_of_two = f64::from_bits(value.to_bits() & f64::INFINITY.to_bits());
    if value == 0.0 { 1.0 } else { power_of_two / 512.0 }
}

/// A sum over N, multiplied by the nearest fp32 to 1/N.
pub(super) fn over(features: usize, sum: Approx) -> Approx {
    let exact = 1.0 / features as f64;
    let scalar = Approx::new(exact, (f64::from(exact as f32) - exact).abs());
    bound::binary(Binary::Mul, WIDTH, sum, scalar)
}
