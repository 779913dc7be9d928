//! Forward: mean, 1/std, y.

use tilewright_tile::DataFormat;
use tilewright_tile::bound::{self, Approx};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::{Binary, Unary};

use super::sum::{Lanes, over, reduce};
use super::{WIDTH, growth, packed, stored};
use crate::family::Family;
use crate::parallel;

/// A forward pass: values as the tensors hold them, row-major.
pub struct ForwardInputs {
    /// The tensors' format.
    pub format: DataFormat,
    /// Whether the kernel makes tiles of sticks first.
    pub is_tilized: bool,
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

impl ForwardInputs {
    /// A value as the kernel's arithmetic finds it. Tilize copies it to Dst and packs it again,
    /// which turns denormals into zero and changes no other finite value.
    fn load(&self, value: f32) -> Approx {
        let value = stored(value);
        if self.is_tilized { packed(self.format, bound::copy(value)) } else { value }
    }
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
    let rows = inputs.x.len() / inputs.features;
    let row = |index: usize| &inputs.x[index * inputs.features..][..inputs.features];
    let statistics = parallel::map(rows, |index| row_statistics(inputs, row(index)));
    let y = parallel::concat(rows, |index| row_y(inputs, row(index), statistics[index]));
    let packed = |x: &Approx| packed(inputs.format, *x);
    let mean = statistics.iter().map(|(mean, _)| packed(mean)).collect();
    let rstd = statistics.iter().map(|(_, rstd)| packed(rstd)).collect();
    Forward { y, mean, rstd }
}

fn row_y(
    inputs: &ForwardInputs,
    row: &[f32],
    (mean, rstd): (Approx, Approx),
) -> impl Iterator<Item = Approx> {
    row.iter().zip(&inputs.gamma).zip(&inputs.beta).map(move |((x, gamma), beta)| {
        let centred = bound::binary(Binary::Sub, WIDTH, inputs.load(*x), mean);
        let normal = bound::binary(Binary::Mul, WIDTH, centred, rstd);
        let scaled = bound::binary(Binary::Mul, WIDTH, normal, inputs.load(*gamma));
        packed(inputs.format, bound::binary(Binary::Add, WIDTH, scaled, inputs.load(*beta)))
    })
}

/// mean and 1/std as they are in Dst.
fn row_statistics(inputs: &ForwardInputs, row: &[f32]) -> (Approx, Approx) {
    let growth = growth(inputs.family);
    let mean_of = |change: &dyn Fn(Approx) -> Approx| {
        let mut lanes = Lanes::new(growth);
        for (column, x) in row.iter().enumerate() {
            lanes.add(column % 32, change(inputs.load(*x)));
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
