//! Forward: mean, 1/std, y.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::{Binary, Unary};
use tilewright_tile::{DataFormat, Fidelity, SourceFormats};

use super::sum::{Lanes, over, reduce};
use super::{WIDTH, growth, packed, stored};
use crate::family::Family;

/// A forward pass: values as the tensors hold them, row-major.
pub struct ForwardInputs {
    /// The tensors' format.
    pub format: DataFormat,
    /// Where x came from; decides how roundings add up.
    pub family: Family,
    /// Values of a row.
    pub features: usize,
    /// Added to the variance.
    pub epsilon: f32,
    /// Rows to normalise.
    pub x: Vec<f32>,
    /// The scale.
    pub gamma: Vec<f32>,
    /// The shift.
    pub beta: Vec<f32>,
}

/// The outputs of a forward pass.
pub struct Forward {
    /// γ·x̂ + β.
    pub y: Vec<Approx>,
    /// One a row.
    pub mean: Vec<Approx>,
    /// One a row.
    pub rstd: Vec<Approx>,
}

/// The exact outputs with their bounds.
pub fn forward(inputs: &ForwardInputs) -> Forward {
    let mut outputs = Forward { y: Vec::new(), mean: Vec::new(), rstd: Vec::new() };
    for row in inputs.x.chunks(inputs.features) {
        let (mean, rstd) = row_statistics(inputs, row);
        outputs.mean.push(packed(inputs.format, mean));
        outputs.rstd.push(packed(inputs.format, rstd));
        let y = |(x, (gamma, beta)): (&f32, (&f32, &f32))| {
            let centred = bound::binary(Binary::Sub, WIDTH, stored(*x), mean);
            let normal = bound::binary(Binary::Mul, WIDTH, centred, rstd);
            let scaled = bound::binary(Binary::Mul, WIDTH, normal, stored(*gamma));
            packed(inputs.format, shifted(inputs.format, scaled, stored(*beta)))
        };
        outputs.y.extend(row.iter().zip(inputs.gamma.iter().zip(&inputs.beta)).map(y));
    }
    outputs
}

/// mean and 1/std as they are in Dst.
fn row_statistics(inputs: &ForwardInputs, row: &[f32]) -> (Approx, Approx) {
    let growth = growth(inputs.family);
    let mean_of = |change: &dyn Fn(Approx) -> Approx| {
        let mut lanes = Lanes::new(growth);
        for (column, x) in row.iter().enumerate() {
            lanes.add(column % 32, change(stored(*x)));
        }
        over(inputs.features, reduce(ReduceDim::Row, growth, &lanes.sums()))
    };
    let mean = mean_of(&|x| x);
    let variance = mean_of(&|x| {
        let centred = bound::binary(Binary::Sub, WIDTH, x, mean);
        bound::unary(Unary::Square, WIDTH, centred)
    });
    // A variance is not negative, whatever its bound allows.
    let sum = bound::unary(Unary::AddScalar(inputs.epsilon.to_bits()), WIDTH, variance);
    let rsqrt = Unary::Rsqrt { approx: false, legacy: false, fast: false };
    (mean, bound::unary(rsqrt, WIDTH, sum))
}

/// Adds β: by an accumulating product with ones for bf16, by the vector unit for Float32.
fn shifted(format: DataFormat, x: Approx, beta: Approx) -> Approx {
    if format == DataFormat::Float32 {
        return bound::binary(Binary::Add, WIDTH, x, beta);
    }
    let formats = SourceFormats { a: DataFormat::Bfloat16, b: format };
    let multiplication = Multiplication { fidelity: Fidelity::HiFi4, formats };
    let mut sum = Accumulator::new(WIDTH, Growth::Worst, x);
    sum.add_product(multiplication, Approx::exact(1.0), beta);
    sum.approx()
}
