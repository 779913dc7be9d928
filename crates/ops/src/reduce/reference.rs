//! Reductions in f64, beside the bounds of the device's steps in the order they are taken.

use tilewright_tile::bound::{self, Accumulator, Approx, Growth, Multiplication};
use tilewright_tile::fpu::{Pool, ReduceDim};
use tilewright_tile::{TILE_SIDE, position};

use super::Options;
use crate::l1_tiles;
use crate::operation::Request;
use crate::parallel;
use crate::steps::{Steps, estimate_of, exact_sum};

/// Each element of the output. `stored` is the input as the device has it.
pub(super) fn reduce(request: &Request, options: Options, stored: &[f32]) -> Vec<Approx> {
    let (height, width) = (request.shape.height(), request.shape.width());
    let results = match options.dim {
        ReduceDim::Row => height,
        ReduceDim::Column => width,
        ReduceDim::Scalar => 1,
    };
    let steps = Steps::new(&request.compute_config(), request.format);
    let how = Multiplication { fidelity: request.settings.fidelity, formats: steps.sources() };
    let sums = Sums { steps, how, options };
    let volume = height * width;
    parallel::map(stored.len() / volume * results, |at| {
        let values = &stored[at / results * volume..][..volume];
        sums.result(Matrix { values, height, width }, at % results)
    })
}

/// One matrix of the input, without padding.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    values: &'a [f32],
    height: usize,
    width: usize,
}

impl<'a> Matrix<'a> {
    /// A value; padding is zero.
    fn at(self, row: usize, column: usize) -> f32 {
        let is_inside = row < self.height && column < self.width;
        if is_inside { self.values[row * self.width + column] } else { 0.0 }
    }

    /// The values that become one.
    fn taken(self, dim: ReduceDim, at: usize) -> impl Iterator<Item = f32> + 'a {
        let (start, step, count) = match dim {
            ReduceDim::Row => (at * self.width, 1, self.width),
            ReduceDim::Column => (at, self.width, self.height),
            ReduceDim::Scalar => (0, 1, self.values.len()),
        };
        self.values[start..].iter().step_by(step).take(count).copied()
    }

    /// Where tiles begin, in the order in which they are reduced.
    fn tile_starts(length: usize) -> impl Iterator<Item = usize> {
        (0..length).step_by(TILE_SIDE)
    }
}

/// How values are summed up.
#[derive(Clone, Copy)]
struct Sums {
    steps: Steps,
    how: Multiplication,
    options: Options,
}

impl Sums {
    fn result(self, matrix: Matrix<'_>, at: usize) -> Approx {
        let taken = || matrix.taken(self.options.dim, at);
        if taken().any(|value| !value.is_finite()) {
            return Approx::special();
        }
        let (exact, in_dst) = match self.options.pool {
            Pool::Sum | Pool::PooledSum => {
                let exact = exact_sum(taken().map(f64::from)) * self.options.factor;
                (exact, self.in_dst(matrix, at))
            }
            Pool::Max | Pool::BlockMax => {
                let exact = taken().map(f64::from).fold(f64::NEG_INFINITY, f64::max);
                (exact, bound::maximum(taken().map(|value| self.steps.operand(value))))
            }
        };
        estimate_of(exact, self.steps.pack(in_dst))
    }

    /// Tile after tile, as `reduce_tile` adds them up.
    fn in_dst(self, matrix: Matrix<'_>, at: usize) -> Approx {
        let Sums { steps, how, options } = self;
        let scaler = steps.operand(l1_tiles::stored(steps.format, options.scaler()));
        let operand = |row, column| steps.operand(matrix.at(row, column));
        let mut sum = Accumulator::new(steps.width, Growth::Worst, Approx::ZERO);
        match options.dim {
            ReduceDim::Row => Matrix::tile_starts(matrix.width).for_each(|left| {
                sum.add_row(how, &std::array::from_fn(|k| operand(at, left + k)), scaler);
            }),
            ReduceDim::Column => Matrix::tile_starts(matrix.height).for_each(|top| {
                sum.add_column(how, &std::array::from_fn(|k| operand(top + k, at)), scaler);
            }),
            ReduceDim::Scalar => {
                for top in Matrix::tile_starts(matrix.height) {
                    for left in Matrix::tile_starts(matrix.width) {
                        let tile = std::array::from_fn(|place| {
                            let (row, column) = position(place);
                            operand(top + row, left + column)
                        });
                        sum.add_tile(how, &tile, scaler);
                    }
                }
            }
        }
        // Where the matrix unit's renormalisation fault (4.1) strikes, the result is wrong indeed
        // and shall be out of bound: allowing for it would allow nearly everything near zero.
        sum.approx_without_excursion()
    }
}
