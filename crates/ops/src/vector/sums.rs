//! Running sums down columns, and sums and extremes of rows or columns, by the vector unit.
//!
//! A kernel may add up in any order and tile by tile: bounds of sums hold for every order of n
//! terms, (n - 1)·u/(1 - (n - 1)·u) of the sum of magnitudes with u = 2^-24 (Higham, *Accuracy and
//! Stability of Numerical Algorithms*, section 4.2), and a 16-bit Dst cuts once for each tile more.

use tilewright_metal::Shape;
use tilewright_tile::bound::{self, Accumulator, Approx, Growth};
use tilewright_tile::sfpu::Binary;
use tilewright_tile::{DataFormat, DstWidth, Integer, TILE_SIDE};

use crate::operation::{Choice, OpError, Request};
use crate::parallel;
use crate::reference::{Given, Roles, Wanted};
use crate::steps::{Steps, estimate_of, exact_sum};

pub(super) const ROLES: Roles = Roles { inputs: &["first"], outputs: &["y"] };

pub(super) const POOL: Choice =
    Choice { name: "pool", values: &["sum", "max", "min"], about: "what is made of the values" };

pub(super) const DIM: Choice = Choice {
    name: "dim",
    values: &["column", "row"],
    about: "what becomes one value: each column or each row",
};

/// Half a step of fp32 as a share of a number.
const UNIT: f64 = 1.0 / (1 << 24) as f64;

/// A step of bf16 as a share of a number.
const STEP_16: f64 = 1.0 / 128.0;

/// What is known of the kernel between its buffers.
#[derive(Clone, Copy)]
struct Kernel {
    steps: Steps,
    output: Steps,
    is_straight: bool,
}

impl Kernel {
    fn new(request: &Request) -> Kernel {
        let width = request.settings.width;
        let output = request.kernel.outputs.first().copied().flatten().unwrap_or(request.format);
        let is_straight = request.kernel.unpacks_to_dst;
        let steps = Steps { width, format: request.format };
        Kernel { steps, output: Steps { width, format: output }, is_straight }
    }

    /// What Dst holds of a stored value.
    fn in_dst(self, x: f64) -> Approx {
        let x = x as f32;
        match self.is_straight && x.abs() >= f32::MIN_POSITIVE {
            true => self.steps.stored(x),
            false => self.steps.operand(x),
        }
    }

    /// Dst to the output.
    fn pack(self, exact: f64, x: Approx) -> Approx {
        estimate_of(exact, self.output.pack(x))
    }
}

/// The inputs' values; whole numbers are known where a function of them is exact.
fn input(request: &Request, given: Vec<Given>) -> Result<Vec<f64>, OpError> {
    let [given] = <[Given; 1]>::try_from(given).unwrap_or_else(|_| unreachable!("one role"));
    match request.format {
        DataFormat::Bfloat16
        | DataFormat::Float32
        | DataFormat::Integer(Integer::Int32 | Integer::UInt32) => Ok(given.tensor.to_f64()),
        DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Small(_) | DataFormat::Integer(_) => {
            let format = request.format;
            Err(OpError::Invalid(format!("sums of {format} have no reference")))
        }
    }
}

/// `cumsum_tile` down the columns of each matrix. The running sum stays in a register of 32 bits.
pub(super) fn cumulative(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let (kernel, shape) = (Kernel::new(request), request.shape);
    let values = input(request, given)?;
    if request.format.is_integer() {
        return Err(OpError::Invalid("cumsum_tile adds floats".to_owned()));
    }
    let values = Box::new(move || {
        let (height, width) = (shape.height(), shape.width());
        let columns = parallel::concat(shape.matrices() * width, |number| {
            let first = number / width * height * width + number % width;
            prefixes(kernel, (0..height).map(|row| values[first + row * width]))
        });
        let place = |at: usize| {
            let (matrix, row, column) = (at / (height * width), at / width % height, at % width);
            columns[(matrix * width + column) * height + row]
        };
        (0..shape.volume()).map(place).collect()
    });
    Ok(vec![Wanted { name: "y", shape, values }])
}

fn prefixes(kernel: Kernel, column: impl Iterator<Item = f64>) -> Vec<Approx> {
    let mut sum = Accumulator::new(DstWidth::Bits32, Growth::Worst, Approx::ZERO);
    let (mut exact, mut lost) = (0.0, 0.0);
    let next = |x: f64| {
        sum.add_in_sfpu(kernel.in_dst(x));
        // Kahan's sum: what the last addition lost goes into the next.
        let term = x - lost;
        let total = exact + term;
        (lost, exact) = ((total - exact) - term, total);
        let stored = bound::binary(Binary::Add, kernel.steps.width, sum.approx(), Approx::ZERO);
        kernel.pack(exact, stored)
    };
    column.map(next).collect()
}

/// What is made of many values.
#[derive(Clone, Copy, Debug)]
enum Pool {
    Sum,
    Max,
    Min,
}

/// `sfpu_reduce` of each row or each column, and tiles of a row or column combined in any order.
pub(super) fn reduce(request: &Request, given: Vec<Given>) -> Result<Vec<Wanted>, OpError> {
    let (kernel, shape) = (Kernel::new(request), request.shape);
    let values = input(request, given)?;
    let pool = match request.choice(&POOL)? {
        "max" => Pool::Max,
        "min" => Pool::Min,
        _ => Pool::Sum,
    };
    let is_row = request.choice(&DIM)? == DIM.values[1];
    let (height, width) = (shape.height(), shape.width());
    let reduced: Shape = match is_row {
        true => shape.with_matrix(height, 1)?,
        false => shape.with_matrix(1, width)?,
    };
    let exact = Box::new(move || {
        parallel::map(reduced.volume(), |at| {
            let (first, step, count) = match is_row {
                true => (at * width, 1, width),
                false => (at / width * height * width + at % width, width, height),
            };
            let terms = values[first..].iter().step_by(step).take(count).copied();
            pooled(kernel, pool, &terms.collect::<Vec<f64>>())
        })
    });
    Ok(vec![Wanted { name: "y", shape: reduced, values: exact }])
}

fn pooled(kernel: Kernel, pool: Pool, terms: &[f64]) -> Approx {
    if let DataFormat::Integer(integer) = kernel.steps.format {
        return Approx::exact(whole(integer, pool, terms));
    }
    let held = || terms.iter().map(|x| kernel.in_dst(*x));
    let largest = |it: &[f64]| it.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = |it: &[f64]| it.iter().copied().fold(f64::INFINITY, f64::min);
    match pool {
        Pool::Sum => kernel.pack(exact_sum(terms.iter().copied()), sum(kernel, held())),
        Pool::Max => kernel.pack(largest(terms), bound::maximum(held())),
        Pool::Min => kernel.pack(smallest(terms), bound::minimum(held())),
    }
}

/// The sum of what Dst holds, in any order.
fn sum(kernel: Kernel, held: impl Iterator<Item = Approx> + Clone) -> Approx {
    if !held.clone().all(Approx::is_finite) {
        return Approx::special();
    }
    let count = held.clone().count();
    let additions = (count - 1) as f64 * UNIT;
    let magnitudes: f64 = held.clone().map(|x| x.value.abs()).sum();
    let mut error = additions / (1.0 - additions) * magnitudes;
    if kernel.steps.width == DstWidth::Bits16 {
        let stores = count.div_ceil(TILE_SIDE) as f64 + 1.0;
        error += stores * STEP_16 * (magnitudes + error);
    }
    Approx::new(exact_sum(held.map(|x| x.value)), error)
}

/// Whole numbers are exact in any order; a sum keeps the bits that its format has.
fn whole(integer: Integer, pool: Pool, terms: &[f64]) -> f64 {
    let terms = terms.iter().map(|x| *x as i64);
    let result = match pool {
        Pool::Sum => terms.fold(0, i64::wrapping_add),
        Pool::Max => terms.max().unwrap_or(0),
        Pool::Min => terms.min().unwrap_or(0),
    };
    match integer {
        Integer::Int32 => f64::from(result as i32),
        Integer::UInt32 | Integer::UInt16 | Integer::UInt8 | Integer::Int8 => {
            f64::from(result as u32)
        }
    }
}
