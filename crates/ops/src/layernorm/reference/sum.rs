//! Sums over many values as the kernels make them: tiles elementwise, then 32 lanes in two parts.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, Fidelity, SourceFormats};

use super::WIDTH;

/// One running sum for each of 32 lanes.
#[derive(Clone)]
pub(super) struct Lanes([Accumulator; 32]);

impl Lanes {
    pub(super) fn new(growth: Growth) -> Lanes {
        Lanes([Accumulator::new(WIDTH, growth, Approx::ZERO); 32])
    }

    pub(super) fn add(&mut self, lane: usize, x: Approx) {
        self.0[lane].add_in_sfpu(x);
    }

    pub(super) fn sums(&self) -> [Approx; 32] {
        std::array::from_fn(|lane| self.0[lane].approx())
    }
}

/// Adds 32 sums up by the matrix unit, each split into ten bits and the rest.
///
/// The parts add up to the sum exactly, so that its own error goes through unchanged; what the
/// matrix unit adds depends on the parts' magnitudes alone, taken at their largest.
pub(super) fn reduce(dim: ReduceDim, growth: Growth, sums: &[Approx; 32]) -> Approx {
    if sums.iter().any(|sum| !sum.is_finite()) {
        return Approx::special();
    }
    let mut rounded = Accumulator::new(WIDTH, growth, Approx::ZERO);
    for part in [high_part, low_part] {
        let parts = sums.map(part);
        match dim {
            ReduceDim::Row => rounded.add_row(multiplication(dim), &parts, Approx::exact(1.0)),
            ReduceDim::Column | ReduceDim::Scalar => {
                rounded.add_column(multiplication(dim), &parts, Approx::exact(1.0));
            }
        }
    }
    let value = sums.iter().map(|sum| sum.value).sum();
    let carried: f64 = sums.iter().map(|sum| sum.error).sum();
    Approx::new(value, carried + rounded.approx().error)
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

/// The largest the part of ten bits can be.
fn high_part(sum: Approx) -> Approx {
    let most = sum.most();
    Approx::exact((most / unit(most)).floor() * unit(most) * sum.value.signum())
}

/// The largest the rest can be, with bits that no source register holds.
fn low_part(sum: Approx) -> Approx {
    Approx::exact(unit(sum.most()) * (1.0 - 2.0_f64.powi(-14)) * sum.value.signum())
}

/// The last place of a value cut to ten significant bits.
fn unit(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { 2.0_f64.powi(value.log2().floor() as i32 - 9) }
}

/// A sum over N, multiplied by the nearest fp32 to 1/N.
pub(super) fn over(features: usize, sum: Approx) -> Approx {
    let exact = 1.0 / features as f64;
    let scalar = Approx::new(exact, (f64::from(exact as f32) - exact).abs());
    bound::binary(Binary::Mul, WIDTH, sum, scalar)
}
