//! LayerNorm's dx as a gradient: against numerical derivatives, and column by column of its map.

use crate::common::{outputs, usual, with_device};
use tilewright_metal::{Family, RunOptions, Shape};
use tilewright_ops::judge::judge;
use tilewright_ops::layernorm::backward;
use tilewright_ops::layernorm::reference::{self, BackwardInputs};
use tilewright_tile::DataFormat;
use tilewright_tile::bound::Approx;

const NAME: &str = "layernorm-bw";
/// The operation's.
const EPSILON: f64 = 1e-6_f32 as f64;

fn inputs(format: DataFormat, family: Family, shape: &Shape) -> BackwardInputs {
    let row = Shape::new(&[shape.width()]).expect("a width");
    let gamma = Family::Uniform.values(&row, 5, 1);
    let (x, dy) = (family.values(shape, 5, 0), Family::Uniform.values(shape, 5, 3));
    BackwardInputs::new((format, family), shape, [&x, &gamma, &dy])
}

/// dx by the device.
#[track_caller]
fn dx(shape: &str, inputs: BackwardInputs, path: &str) -> Vec<f32> {
    let request = usual(NAME, shape, inputs.format).choose("path", path);
    with_device(|device| {
        let prepared = backward::prepare(device, &request, inputs).expect("a right request");
        outputs(device, &prepared, RunOptions::default()).swap_remove(0)
    })
}

/// One row in f64: x, γ, dy.
struct Row {
    x: Vec<f64>,
    gamma: Vec<f64>,
    dy: Vec<f64>,
}

impl Row {
    fn of(inputs: &BackwardInputs, row: usize) -> Row {
        let wide = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect();
        let places = row * inputs.features..(row + 1) * inputs.features;
        Row {
            x: wide(&inputs.x[places.clone()]),
            gamma: wide(&inputs.gamma),
            dy: wide(&inputs.dy[places]),
        }
    }

    fn mean(&self, value: impl Fn(usize) -> f64) -> f64 {
        (0..self.x.len()).map(value).sum::<f64>() / self.x.len() as f64
    }

    /// mean and 1/std of x with `step` added at a place.
    fn statistics(&self, place: usize, step: f64) -> (f64, f64) {
        let x = |at: usize| self.x[at] + if at == place { step } else { 0.0 };
        let mean = self.mean(x);
        (mean, 1.0 / (self.mean(|at| (x(at) - mean).powi(2)) + EPSILON).sqrt())
    }

    /// Σ dy·γ·x̂ with `step` added to x at a place, and the sum of its terms' magnitudes.
    fn forward(&self, place: usize, step: f64) -> (f64, f64) {
        let (mean, rstd) = self.statistics(place, step);
        let term = |at: usize| {
            let x = self.x[at] + if at == place { step } else { 0.0 };
            self.dy[at] * self.gamma[at] * (x - mean) * rstd
        };
        let terms = (0..self.x.len()).map(term);
        (terms.clone().sum(), terms.map(f64::abs).sum())
    }

    /// The derivative by central differences, with what they leave open. Halving the step takes
    /// three quarters of the error of a long one away, so that the difference of the two is more
    /// than the error of the short one; each forward rounds once a term and in each operation.
    fn derivative(&self, place: usize) -> Approx {
        let (_, rstd) = self.statistics(place, 0.0);
        let step = 2.0_f64.powi(-12) / rstd;
        let central = |step: f64| {
            let (above, most) = self.forward(place, step);
            let (below, _) = self.forward(place, -step);
            let roundings = 2.0 * (2 * self.x.len() + 8) as f64 * f64::EPSILON;
            ((above - below) / (2.0 * step), roundings * most / (2.0 * step))
        };
        let ((long, _), (short, rounding)) = (central(step), central(step / 2.0));
        Approx::new(short, (long - short).abs() + rounding)
    }

    /// dx by the formula, with given statistics.
    fn dx(&self, place: usize, (mean, rstd): (f64, f64)) -> f64 {
        let x_hat = |at: usize| (self.x[at] - mean) * rstd;
        let product = |at: usize| self.dy[at] * self.gamma[at];
        let with_x_hat = self.mean(|at| product(at) * x_hat(at));
        rstd * (product(place) - self.mean(product) - x_hat(place) * with_x_hat)
    }
}

/// The numerical derivative, with room for its own error, for the statistics that the device is
/// given rounded, and for the device's arithmetic.
fn derivatives(inputs: &BackwardInputs) -> Vec<Approx> {
    let bounds = reference::dx(inputs);
    let mut wanted = Vec::with_capacity(bounds.len());
    for row_index in 0..inputs.mean.len() {
        let row = Row::of(inputs, row_index);
        let held = (f64::from(inputs.mean[row_index]), f64::from(inputs.rstd[row_index]));
        let exact = row.statistics(0, 0.0);
        for place in 0..inputs.features {
            let numeric = row.derivative(place);
            let moved = (row.dx(place, held) - row.dx(place, exact)).abs();
            let bound = bounds[row_index * inputs.features + place].error;
            wanted.push(Approx::new(numeric.value, numeric.error + moved + bound));
        }
    }
    wanted
}

/// Whether f64 differences can tell the derivative: some families reach over too many magnitudes.
fn is_smooth(family: &Family) -> bool {
    ![Family::WideRange, Family::Tiny, Family::Special].contains(family)
}

#[track_caller]
fn check_derivatives(shape: &str, format: DataFormat) {
    let sizes: Shape = shape.parse().expect("a shape");
    for family in Family::ALL.into_iter().filter(is_smooth) {
        let wanted = derivatives(&inputs(format, family, &sizes));
        for path in ["row", "block"] {
            let got = dx(shape, inputs(format, family, &sizes), path);
            let judged = judge(&got, &wanted);
            assert!(judged.in_bound, "{shape} {format} {family} {path}: {judged:?}");
        }
    }
}

#[test]
fn dx_is_the_numerical_derivative() {
    for shape in ["13x20", "32x33", "2x3x65", "5x213"] {
        check_derivatives(shape, DataFormat::Float32);
        check_derivatives(shape, DataFormat::Bfloat16);
    }
}

/// The check above has teeth: it sees the mean subtracted twice, or the last term left out.
#[test]
fn a_wrong_term_is_not_the_numerical_derivative() {
    let shape: Shape = "13x20".parse().expect("a shape");
    for format in [DataFormat::Float32, DataFormat::Bfloat16] {
        let inputs = inputs(format, Family::Uniform, &shape);
        let wanted = derivatives(&inputs);
        let (mut twice, mut without) = (Vec::new(), Vec::new());
        for row_index in 0..inputs.mean.len() {
            let row = Row::of(&inputs, row_index);
            let (mean, rstd) = row.statistics(0, 0.0);
            let product = |at: usize| row.dy[at] * row.gamma[at];
            let x_hat = |at: usize| (row.x[at] - mean) * rstd;
            let with_x_hat = row.mean(|at| product(at) * x_hat(at));
            for place in 0..inputs.features {
                let dx = row.dx(place, (mean, rstd));
                twice.push((dx - rstd * row.mean(product)) as f32);
                without.push((dx + rstd * x_hat(place) * with_x_hat) as f32);
            }
        }
        assert!(!judge(&twice, &wanted).in_bound, "{format}: subtracted twice");
        assert!(!judge(&without, &wanted).in_bound, "{format}: left out");
    }
}

/// One impulse in each tile of dy: dx is a column of the map in the impulse's row, and zero in
/// every other.
#[track_caller]
fn check_impulses(shape: &str, format: DataFormat, family: Family) {
    let sizes: Shape = shape.parse().expect("a shape");
    let (rows, features) = (sizes.height(), sizes.width());
    for (tile_row, tile_column) in
        (0..sizes.tile_rows()).flat_map(|row| (0..sizes.tile_columns()).map(move |at| (row, at)))
    {
        let mut inputs = inputs(format, family, &sizes);
        // Another place in each tile, inside the tensor.
        let row = (32 * tile_row + (7 * tile_column + 3) % 32).min(rows - 1);
        let hit = (32 * tile_column + (11 * tile_row + 5 * tile_column) % 32).min(features - 1);
        inputs.dy.fill(0.0);
        inputs.dy[row * features + hit] = 1.0;
        let held = (f64::from(inputs.mean[row]), f64::from(inputs.rstd[row]));
        let (values, bounds) = (Row::of(&inputs, row), reference::dx(&inputs));
        let (x_hat, gamma) = (|at: usize| (values.x[at] - held.0) * held.1, values.gamma[hit]);
        let column = |(index, bound): (usize, &Approx)| {
            let (at, is_hit) = (index % features, index % features == hit);
            let taken = (1.0 + x_hat(at) * x_hat(hit)) / features as f64;
            let value = held.1 * gamma * (f64::from(u8::from(is_hit)) - taken);
            // The bound belongs to the reference's value; both are computed in f64.
            let value = if index / features == row { value } else { 0.0 };
            let apart = (value - bound.value).abs();
            let most = 16.0 * f64::EPSILON * (value.abs() + held.1 * gamma.abs() * (1.0 + taken));
            assert!(apart <= most, "{shape} {index}: {value} and {bound:?}");
            Approx::new(value, bound.error)
        };
        let wanted: Vec<Approx> = bounds.iter().enumerate().map(column).collect();
        let judged = judge(&dx(shape, inputs, "auto"), &wanted);
        assert!(judged.in_bound, "{shape} {format} {family} at {row}, {hit}: {judged:?}");
    }
}

#[test]
fn impulses_in_dy_give_the_columns_of_the_map() {
    for family in [Family::Uniform, Family::ShiftedMean, Family::Ramp] {
        check_impulses("40x213", DataFormat::Bfloat16, family);
        check_impulses("33x70", DataFormat::Float32, family);
    }
}
