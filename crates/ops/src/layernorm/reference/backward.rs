//! Backward: dx, dγ, dβ.

use tilewright_metal::Shape;
use tilewright_tile::bound::{self, Approx, Growth};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, bfloat16};

use super::sum::{Lanes, over, reduce};
use super::{WIDTH, growth, packed, statistics, stored};
use crate::family::Family;
use crate::layernorm::EPSILON;
use crate::parallel;

/// A backward pass: values as the tensors hold them, row-major.
pub struct BackwardInputs {
    /// The tensors' format.
    pub format: DataFormat,
    /// Where x and dy came from; decides how roundings add up.
    pub family: Family,
    /// Values of a row.
    pub features: usize,
    /// Rows of one matrix: tiles do not reach from one matrix into the next.
    pub height: usize,
    /// Tile-rows of each core that shares in the sums over rows, in order.
    pub shares: Vec<usize>,
    /// The forward input.
    pub x: Vec<f32>,
    /// The scale.
    pub gamma: Vec<f32>,
    /// One a row.
    pub mean: Vec<f32>,
    /// One a row.
    pub rstd: Vec<f32>,
    /// The gradient of the output.
    pub dy: Vec<f32>,
}

/// What a tensor of a format holds of a value.
fn held(format: DataFormat, value: f32) -> f32 {
    match format {
        DataFormat::Bfloat16 => bfloat16::to_f32(bfloat16::from_f32(value)),
        DataFormat::Float32 => value,
        DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) => {
            unreachable!("refused by the operation's check")
        }
    }
}

fn add(x: Approx, y: Approx) -> Approx {
    bound::binary(Binary::Add, WIDTH, x, y)
}

fn subtract(x: Approx, y: Approx) -> Approx {
    bound::binary(Binary::Sub, WIDTH, x, y)
}

fn multiply(x: Approx, y: Approx) -> Approx {
    bound::binary(Binary::Mul, WIDTH, x, y)
}

impl BackwardInputs {
    /// x, γ and dy as tensors of the format hold them, with their mean and 1/std. Shares are the
    /// program's to say.
    pub fn new(
        (format, family): (DataFormat, Family),
        shape: &Shape,
        [x, gamma, dy]: [&[f32]; 3],
    ) -> BackwardInputs {
        let held = |values: &[f32]| values.iter().map(|value| held(format, *value)).collect();
        let x: Vec<f32> = held(x);
        let (mean, rstd) = statistics(&x, shape.width(), EPSILON);
        BackwardInputs {
            format,
            family,
            features: shape.width(),
            height: shape.height(),
            shares: Vec::new(),
            gamma: held(gamma),
            mean: held(&mean),
            rstd: held(&rstd),
            dy: held(dy),
            x,
        }
    }

    /// How the roundings of its sums add up.
    pub(in crate::layernorm) fn growth(&self) -> Growth {
        growth(self.family)
    }

    fn x_hat(&self, row: usize, column: usize) -> Approx {
        let x = stored(self.x[row * self.features + column]);
        multiply(subtract(x, stored(self.mean[row])), stored(self.rstd[row]))
    }

    /// bf16 products are exact in a 32-bit Dst; of Float32 the vector unit makes them.
    fn dy_gamma(&self, row: usize, column: usize) -> Approx {
        let dy = stored(self.dy[row * self.features + column]);
        multiply(dy, stored(self.gamma[column]))
    }

    fn rows(&self) -> usize {
        self.mean.len()
    }
}

/// dx = rstd·(dy·γ - mean(dy·γ) - x̂·mean(dy·γ·x̂)).
pub fn dx(inputs: &BackwardInputs) -> Vec<Approx> {
    parallel::concat(inputs.rows(), |row| dx_of_row(inputs, row))
}

fn dx_of_row(inputs: &BackwardInputs, row: usize) -> impl Iterator<Item = Approx> {
    let growth = inputs.growth();
    let factors = |column| (inputs.dy_gamma(row, column), inputs.x_hat(row, column));
    let factors: Vec<(Approx, Approx)> = (0..inputs.features).map(factors).collect();
    let mut sums = [Lanes::new(growth), Lanes::new(growth)];
    for (column, (product, x_hat)) in factors.iter().enumerate() {
        sums[0].add(column % 32, *product);
        sums[1].add(column % 32, multiply(*product, *x_hat));
    }
    let [mean_product, mean_with_x_hat] =
        sums.map(|sum| over(inputs.features, reduce(ReduceDim::Row, growth, &sum.sums())));
    let rstd = stored(inputs.rstd[row]);
    factors.into_iter().map(move |(product, x_hat)| {
        let taken = add(multiply(x_hat, mean_with_x_hat), mean_product);
        packed(inputs.format, multiply(subtract(product, taken), rstd))
    })
}

/// dγ = Σ dy·x̂ over rows.
pub fn dgamma(inputs: &BackwardInputs) -> Vec<Approx> {
    over_rows(inputs, |row, column| {
        let dy = stored(inputs.dy[row * inputs.features + column]);
        multiply(inputs.x_hat(row, column), dy)
    })
}

/// dβ = Σ dy over rows.
pub fn dbeta(inputs: &BackwardInputs) -> Vec<Approx> {
    over_rows(inputs, |row, column| stored(inputs.dy[row * inputs.features + column]))
}

/// The sum over rows of each column: lanes are rows of tiles, shares are added in order.
fn over_rows(inputs: &BackwardInputs, term: impl Fn(usize, usize) -> Approx + Sync) -> Vec<Approx> {
    let growth = inputs.growth();
    let matrix_tiles = inputs.height.div_ceil(32);
    let column_sum = |column: usize| {
        let mut whole: Option<Lanes> = None;
        let mut first = 0;
        for share in &inputs.shares {
            let mut lanes = Lanes::new(growth);
            for tile_row in first..first + share {
                let (matrix, tile) = (tile_row / matrix_tiles, tile_row % matrix_tiles);
                let rows = tile * 32..inputs.height.min(tile * 32 + 32);
                for row in rows {
                    lanes.add(row % 32, term(matrix * inputs.height + row, column));
                }
            }
            first += share;
            match &mut whole {
                None => whole = Some(lanes),
                Some(whole) => {
                    let sums = lanes.sums();
                    sums.iter().enumerate().for_each(|(lane, sum)| whole.add(lane, *sum));
                }
            }
        }
        let sums = whole.map_or([Approx::ZERO; 32], |lanes| lanes.sums());
        packed(inputs.format, reduce(ReduceDim::Column, growth, &sums))
    };
    parallel::map(inputs.features, column_sum)
}
