//! Backward: dx, dγ, dβ.

use std::cell::RefCell;
use std::ops::Range;

use tilewright_metal::{Family, Shape};
use tilewright_tile::bound::{self, AccumulatorLanes, Approx, ApproxLanes, Growth, LANES};
use tilewright_tile::fpu::ReduceDim;
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, bfloat16};

use super::sum::{over, reduce};
use super::{growth, packed, packed_lanes, statistics, stored};
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

/// A value rounded to a tensor's format.
fn rounded(format: DataFormat, value: f32) -> f32 {
    match format {
        DataFormat::Bfloat16 => bfloat16::to_f32(bfloat16::from_f32(value)),
        DataFormat::Float32 => value,
        DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
            unreachable!("refused by the operation's check")
        }
    }
}

fn add(x: &ApproxLanes, y: &ApproxLanes, out: &mut ApproxLanes) {
    bound::binary_lanes_to(Binary::Add, x, y, out);
}

fn subtract(x: &ApproxLanes, y: &ApproxLanes, out: &mut ApproxLanes) {
    bound::binary_lanes_to(Binary::Sub, x, y, out);
}

fn multiply(x: &ApproxLanes, y: &ApproxLanes, out: &mut ApproxLanes) {
    bound::binary_lanes_to(Binary::Mul, x, y, out);
}

impl BackwardInputs {
    /// x, γ and dy as tensors of the format hold them, with their mean and 1/std. Shares are the
    /// program's to say.
    pub fn new(
        (format, family): (DataFormat, Family),
        shape: &Shape,
        [x, gamma, dy]: [&[f32]; 3],
    ) -> BackwardInputs {
        let as_stored = |values: &[f32]| -> Vec<f32> {
            values.iter().map(|value| rounded(format, *value)).collect()
        };
        let (x, dy) = parallel::both(|| as_stored(x), || as_stored(dy));
        let (mean, rstd) = statistics(&x, shape.width(), EPSILON);
        BackwardInputs {
            format,
            family,
            features: shape.width(),
            height: shape.height(),
            shares: Vec::new(),
            gamma: as_stored(gamma),
            mean: as_stored(&mean),
            rstd: as_stored(&rstd),
            dy,
            x,
        }
    }

    /// How the roundings of its sums add up.
    pub(in crate::layernorm) fn growth(&self) -> Growth {
        growth(self.family)
    }

    /// The columns of a tile, or what there is of them.
    fn columns(&self, tile: usize) -> Range<usize> {
        tile * LANES..self.features.min((tile + 1) * LANES)
    }

    /// Tiles of a row.
    fn tiles(&self) -> usize {
        self.features.div_ceil(LANES)
    }

    fn dy(&self, row: usize, columns: Range<usize>, out: &mut ApproxLanes) {
        out.store(&self.dy[row * self.features..][columns]);
    }

    fn x_hat(&self, row: usize, columns: Range<usize>, out: &mut ApproxLanes) {
        let mut centred = ApproxLanes::ZERO;
        out.store(&self.x[row * self.features..][columns]);
        let of_row = |value: f32| ApproxLanes::splat(stored(value));
        subtract(out, &of_row(self.mean[row]), &mut centred);
        multiply(&centred, &of_row(self.rstd[row]), out);
    }

    /// bf16 products are exact in a 32-bit Dst; of Float32 the vector unit makes them.
    fn dy_gamma(&self, row: usize, columns: Range<usize>, out: &mut ApproxLanes) {
        let [mut dy, mut gamma] = [ApproxLanes::ZERO; 2];
        gamma.store(&self.gamma[columns.clone()]);
        self.dy(row, columns, &mut dy);
        multiply(&dy, &gamma, out);
    }
}

/// dx = rstd·(dy·γ - mean(dy·γ) - x̂·mean(dy·γ·x̂)).
pub fn dx(inputs: &BackwardInputs) -> Vec<Approx> {
    let mut dx = vec![Approx::ZERO; inputs.x.len()];
    parallel::fill(&mut dx, inputs.features, |row, dx| dx_of_row(inputs, row, dx));
    dx
}

thread_local! {
    /// dy·γ and x̂ of a row's tiles: as large as caches, and the same for all rows.
    static FACTORS: RefCell<Vec<[ApproxLanes; 2]>> = const { RefCell::new(Vec::new()) };
}

/// The same of one row.
pub(in crate::layernorm) fn dx_of_row(inputs: &BackwardInputs, row: usize, dx: &mut [Approx]) {
    FACTORS.with_borrow_mut(|factors| {
        factors.resize(inputs.tiles(), [ApproxLanes::ZERO; 2]);
        let means = means_of_row(inputs, row, factors);
        let rstd = ApproxLanes::splat(stored(inputs.rstd[row]));
        let [mut a, mut b] = [ApproxLanes::ZERO; 2];
        for ([product, x_hat], dx) in factors.iter().zip(dx.chunks_mut(LANES)) {
            multiply(x_hat, &means[1], &mut a);
            add(&a, &means[0], &mut b);
            subtract(product, &b, &mut a);
            multiply(&a, &rstd, &mut b);
            packed_lanes(inputs.format, &b, &mut a);
            a.copy_to(dx);
        }
    });
}

/// The means of dy·γ and of dy·γ·x̂ over a row; writes the factors of its tiles.
fn means_of_row(
    inputs: &BackwardInputs,
    row: usize,
    factors: &mut [[ApproxLanes; 2]],
) -> [ApproxLanes; 2] {
    let growth = inputs.growth();
    let mut sums = [AccumulatorLanes::new(growth), AccumulatorLanes::new(growth)];
    let mut both = ApproxLanes::ZERO;
    for (tile, [product, x_hat]) in factors.iter_mut().enumerate() {
        let columns = inputs.columns(tile);
        let count = columns.len();
        inputs.dy_gamma(row, columns.clone(), product);
        inputs.x_hat(row, columns, x_hat);
        sums[0].add_in_sfpu(product, count);
        multiply(product, x_hat, &mut both);
        sums[1].add_in_sfpu(&both, count);
    }
    sums.map(|sum| {
        let sum = reduce(ReduceDim::Row, growth, &sum.approx().to_array());
        ApproxLanes::splat(over(inputs.features, sum))
    })
}

/// dγ = Σ dy·x̂ over rows.
pub fn dgamma(inputs: &BackwardInputs) -> Vec<Approx> {
    over_rows(inputs, |row, columns, out| {
        let [mut x_hat, mut dy] = [ApproxLanes::ZERO; 2];
        inputs.x_hat(row, columns.clone(), &mut x_hat);
        inputs.dy(row, columns, &mut dy);
        multiply(&x_hat, &dy, out);
    })
}

/// dβ = Σ dy over rows.
pub fn dbeta(inputs: &BackwardInputs) -> Vec<Approx> {
    over_rows(inputs, |row, columns, out| inputs.dy(row, columns, out))
}

/// Tile-columns that are summed together: rows are far apart in memory, and each should be worth
/// the way.
const TOGETHER: usize = 4;

/// The sum over rows of each column: lanes are rows of tiles, shares are added in order.
fn over_rows(
    inputs: &BackwardInputs,
    term: impl Fn(usize, Range<usize>, &mut ApproxLanes) + Sync,
) -> Vec<Approx> {
    let tiles: Vec<_> = (0..inputs.tiles()).map(|tile| inputs.columns(tile)).collect();
    let groups: Vec<_> = tiles.chunks(TOGETHER).collect();
    parallel::concat(groups.len(), |group| {
        let lanes = (0..LANES).map(|lane| sums_of_lane(inputs, lane, groups[group], &term));
        let lanes: Vec<_> = lanes.collect();
        let places = groups[group].iter().enumerate();
        let places =
            places.flat_map(|(tile, columns)| (0..columns.len()).map(move |at| (tile, at)));
        places.map(move |(tile, column)| {
            let sums = std::array::from_fn(|lane| lanes[lane][tile].get(column));
            packed(inputs.format, reduce(ReduceDim::Column, inputs.growth(), &sums))
        })
    })
}

/// What one row of all tiles adds up to, in each of some tile-columns: each share, then the shares.
fn sums_of_lane(
    inputs: &BackwardInputs,
    lane: usize,
    tiles: &[Range<usize>],
    term: impl Fn(usize, Range<usize>, &mut ApproxLanes),
) -> Vec<ApproxLanes> {
    let matrix_tiles = inputs.height.div_ceil(LANES);
    let zero = AccumulatorLanes::new(inputs.growth());
    let mut added = ApproxLanes::ZERO;
    let mut whole: Option<Vec<AccumulatorLanes>> = None;
    let mut first = 0;
    for share in &inputs.shares {
        let mut sums = vec![zero.clone(); tiles.len()];
        for tile_row in first..first + share {
            let row = tile_row % matrix_tiles * LANES + lane;
            if row < inputs.height {
                let row = tile_row / matrix_tiles * inputs.height + row;
                for (sum, columns) in sums.iter_mut().zip(tiles) {
                    term(row, columns.clone(), &mut added);
                    sum.add_in_sfpu(&added, LANES);
                }
            }
        }
        first += share;
        match &mut whole {
            None => whole = Some(sums),
            Some(whole) => {
                let add = |(whole, sum): (&mut AccumulatorLanes, &AccumulatorLanes)| {
                    whole.add_in_sfpu(&sum.approx(), LANES);
                };
                whole.iter_mut().zip(&sums).for_each(add);
            }
        }
    }
    let whole = whole.unwrap_or_else(|| vec![zero; tiles.len()]);
    whole.iter().map(AccumulatorLanes::approx).collect()
}
