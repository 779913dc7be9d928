//! Forward: mean, 1/std, y.

use std::borrow::Borrow;
use std::sync::OnceLock;

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
    fn load(&self, values: &[f32], out: &mut ApproxLanes) {
        out.store(values);
        if self.is_tilized {
            *out = out.map(|x| packed(self.format, bound::copy(x)));
        }
    }

    fn row(&self, index: usize) -> &[f32] {
        &self.x[index * self.features..][..self.features]
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
    let rows = ForwardRows::new(inputs);
    let mut y = vec![Approx::ZERO; inputs.x.len()];
    parallel::fill(&mut y, inputs.features, |row, y| rows.y(row, y));
    Forward { y, mean: rows.mean(), rstd: rows.rstd() }
}

/// The same row by row.
pub(in crate::layernorm) struct ForwardRows<Inputs> {
    inputs: Inputs,
    /// γ and β.
    parameters: Vec<[ApproxLanes; 2]>,
    /// mean and 1/std of each row as they are in Dst, computed when first asked for.
    statistics: OnceLock<Vec<(Approx, Approx)>>,
}

impl<Inputs: Borrow<ForwardInputs> + Sync> ForwardRows<Inputs> {
    pub(in crate::layernorm) fn new(inputs: Inputs) -> ForwardRows<Inputs> {
        let of = inputs.borrow();
        let load = |(gamma, beta): (&[f32], &[f32])| {
            let mut both = [ApproxLanes::ZERO; 2];
            of.load(gamma, &mut both[0]);
            of.load(beta, &mut both[1]);
            both
        };
        let parameters = of.gamma.chunks(LANES).zip(of.beta.chunks(LANES)).map(load).collect();
        ForwardRows { inputs, parameters, statistics: OnceLock::new() }
    }

    /// One a row.
    pub(in crate::layernorm) fn mean(&self) -> Vec<Approx> {
        let format = self.inputs.borrow().format;
        self.statistics().iter().map(|(mean, _)| packed(format, *mean)).collect()
    }

    /// One a row.
    pub(in crate::layernorm) fn rstd(&self) -> Vec<Approx> {
        let format = self.inputs.borrow().format;
        self.statistics().iter().map(|(_, rstd)| packed(format, *rstd)).collect()
    }

    /// γ·x̂ + β of a row.
    pub(in crate::layernorm) fn y(&self, row: usize, y: &mut [Approx]) {
        let inputs = self.inputs.borrow();
        let (mean, rstd) = self.statistics()[row];
        let (mean, rstd) = (ApproxLanes::splat(mean), ApproxLanes::splat(rstd));
        let [mut a, mut b] = [ApproxLanes::ZERO; 2];
        let tiles = inputs.row(row).chunks(LANES).zip(y.chunks_mut(LANES));
        for ((x, y), [gamma, beta]) in tiles.zip(&self.parameters) {
            inputs.load(x, &mut a);
            bound::binary_lanes_to(Binary::Sub, &a, &mean, &mut b);
            bound::binary_lanes_to(Binary::Mul, &b, &rstd, &mut a);
            bound::binary_lanes_to(Binary::Mul, &a, gamma, &mut b);
            bound::binary_lanes_to(Binary::Add, &b, beta, &mut a);
            packed_lanes(inputs.format, &a, &mut b);
            b.copy_to(y);
        }
    }

    fn statistics(&self) -> &[(Approx, Approx)] {
        let inputs = self.inputs.borrow();
        self.statistics.get_or_init(|| {
            let rows = inputs.x.len() / inputs.features;
            parallel::map(rows, |index| row_statistics(inputs, inputs.row(index)))
        })
    }
}

/// mean and 1/std as they are in Dst.
fn row_statistics(inputs: &ForwardInputs, row: &[f32]) -> (Approx, Approx) {
    let growth = growth(inputs.family);
    let mean_of = |sum: &AccumulatorLanes| {
        over(inputs.features, reduce(ReduceDim::Row, growth, &sum.approx().to_array()))
    };
    let [mut x, mut centred, mut square] = [ApproxLanes::ZERO; 3];
    let mut sum = AccumulatorLanes::new(growth);
    for values in row.chunks(LANES) {
        inputs.load(values, &mut x);
        sum.add_in_sfpu(&x, values.len());
    }
    let mean = mean_of(&sum);
    let mean_lanes = ApproxLanes::splat(mean);
    let mut sum = AccumulatorLanes::new(growth);
    for values in row.chunks(LANES) {
        inputs.load(values, &mut x);
        bound::binary_lanes_to(Binary::Sub, &x, &mean_lanes, &mut centred);
        bound::binary_lanes_to(Binary::Mul, &centred, &centred, &mut square);
        sum.add_in_sfpu(&square, values.len());
    }
    // A variance is not negative, whatever its bound allows.
    let epsilon = Unary::AddScalar(inputs.epsilon.to_bits());
    let sum = bound::unary(epsilon, WIDTH, mean_of(&sum));
    let rsqrt = Unary::Rsqrt { approx: false, legacy: false, fast: false };
    (mean, bound::unary(rsqrt, WIDTH, sum))
}
