//! Forward: mean, 1/std, y.

use tilewright_metal::Family;
use tilewright_tile::DataFormat;
use tilewright_tile::bound::{self, AccumulatorLanes, Approx, ApproxLanes, LANES};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::{Binary, Unary};

use super::sum::{over, reduce};
use super::{WIDTH, growth, packed, packed_lanes};
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
    /// Values as the kernel's arithmetic finds them. Tilize copies them to Dst and packs them
    /// again, which turns denormals into zero and changes no other finite value.
    fn load(&self, values: &[f32]) -> ApproxLanes {
        let stored = ApproxLanes::stored(values);
        let tilized = |x| packed(self.format, bound::copy(x));
        if self.is_tilized { stored.map(tilized) } else { stored }
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
    let mut y = vec![Approx::ZERO; inputs.x.len()];
    let parameters = inputs.gamma.chunks(LANES).zip(inputs.beta.chunks(LANES));
    let parameters: Vec<_> =
        parameters.map(|(gamma, beta)| (inputs.load(gamma), inputs.load(beta))).collect();
    parallel::fill(&mut y, inputs.features, |index, y| {
        row_y(inputs, row(index), &parameters, statistics[index], y);
    });
    let packed = |x: &Approx| packed(inputs.format, *x);
    let mean = statistics.iter().map(|(mean, _)| packed(mean)).collect();
    let rstd = statistics.iter().map(|(_, rstd)| packed(rstd)).collect();
    Forward { y, mean, rstd }
}

fn row_y(
    inputs: &ForwardInputs,
    row: &[f32],
    parameters: &[(ApproxLanes, ApproxLanes)],
    (mean, rstd): (Approx, Approx),
    y: &mut [Approx],
) {
    let (mean, rstd) = (ApproxLanes::splat(mean), ApproxLanes::splat(rstd));
    for ((x, y), (gamma, beta)) in row.chunks(LANES).zip(y.chunks_mut(LANES)).zip(parameters) {
        let centred = bound::binary_lanes(Binary::Sub, &inputs.load(x), &mean);
        let normal = bound::binary_lanes(Binary::Mul, &centred, &rstd);
        let scaled = bound::binary_lanes(Binary::Mul, &normal, gamma);
        let shifted = bound::binary_lanes(Binary::Add, &scaled, beta);
        packed_lanes(inputs.format, &shifted).copy_to(y);
    }
}

/// mean and 1/std as they are in Dst.
fn row_statistics(inputs: &ForwardInputs, row: &[f32]) -> (Approx, Approx) {
    let growth = growth(inputs.family);
    let mean_of = |change: &dyn Fn(ApproxLanes) -> ApproxLanes| {
        let mut sum = AccumulatorLanes::new(growth);
        for x in row.chunks(LANES) {
            sum.add_in_sfpu(&change(inputs.load(x)), x.len());
        }
        over(inputs.features, reduce(ReduceDim::Row, growth, &sum.approx().to_array()))
    };
    let mean = mean_of(&|x| x);
    let variance = mean_of(&|x| {
        let centred = bound::binary_lanes(Binary::Sub, &x, &ApproxLanes::splat(mean));
        bound::binary_lanes(Binary::Mul, &centred, &centred)
    });
    // A variance is not negative, whatever its bound allows.
    let sum = bound::unary(Unary::AddScalar(inputs.epsilon.to_bits()), WIDTH, variance);
    let rsqrt = Unary::Rsqrt { approx: false, legacy: false, fast: false };
    (mean, bound::unary(rsqrt, WIDTH, sum))
}
