//! The published failure, reproduced: the faulty kernel and ours on the tests that were reported.

use tilewright_metal::{Device, Ending, Family, Layout, Program, RunOptions, Shape};
use tilewright_tile::DataFormat;

use super::inputs::{column_shape, row_shape};
use super::published::{self, Faults, Inputs, Outputs, Path};
use super::reference::{self, BackwardInputs};
use super::{SETTINGS, backward};
use crate::judge;
use crate::operation::{OpError, Request};
use crate::tensors;

/// Where a test's data come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Data {
    /// The same value everywhere: dy, γ, x.
    Constants(f32, f32, f32),
    /// x and dy between -1 and 1, γ between 0 and 1.
    Random {
        /// The seed.
        seed: u64,
    },
}

/// One reported test.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Batch, sequence, heads, features.
    pub sizes: [usize; 4],
    /// Its data.
    pub data: Data,
    /// The tolerance it was judged by, if any.
    pub tolerance: Option<f64>,
    /// The largest error that was reported for the card.
    pub published_max: Option<f64>,
    /// The mean error that was reported for the card.
    pub published_mean: Option<f64>,
}

/// What a case gives here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The test.
    pub case: Case,
    /// The largest error of the faulty kernel's dx.
    pub faulty_max: f64,
    /// Its mean error, summed one after another in f32, as the report's script did.
    pub faulty_mean: f64,
    /// The largest error of our dx.
    pub ours_max: f64,
    /// How near our worst element came to its bound; at most 1 is inside.
    pub ours_worst_ratio: f64,
}

impl PartialEq for Case {
    fn eq(&self, other: &Case) -> bool {
        self.name == other.name
    }
}

const fn constants(
    name: &'static str,
    sizes: [usize; 4],
    values: [f32; 3],
    published_max: f64,
    published_mean: Option<f64>,
) -> Case {
    Case {
        name,
        sizes,
        data: Data::Constants(values[0], values[1], values[2]),
        tolerance: None,
        published_max: Some(published_max),
        published_mean,
    }
}

const fn random(name: &'static str, sizes: [usize; 4], seed: u64, tolerance: f64) -> Case {
    Case {
        name,
        sizes,
        data: Data::Random { seed },
        tolerance: Some(tolerance),
        published_max: None,
        published_mean: None,
    }
}

/// The reported tests: five with constants, two tight ones, and the nightly one with five seeds.
pub const CASES: [Case; 12] = [
    constants("256 tiles", [1, 100, 1, 8192], [1.0, 1.0, 0.5], 1000.0, Some(1004.21)),
    constants("128 tiles", [1, 100, 1, 4096], [1.0, 1.0, 0.5], 1000.0, Some(994.62)),
    constants("64 tiles", [1, 100, 1, 2048], [1.0, 1.0, 0.5], 1000.0, None),
    constants("different values", [1, 100, 1, 8192], [0.5, 2.0, 1.0], 1000.0, None),
    constants("8462 features", [3, 273, 1, 8462], [1.0, 1.0, 0.5], 988.0, None),
    random("tight, 8192 features", [1, 100, 1, 8192], 5, 0.01),
    random("tight, 8462 features", [3, 273, 1, 8462], 5, 0.01),
    random("nightly, seed 0", [3, 273, 1, 8462], 0, 0.5),
    random("nightly, seed 1", [3, 273, 1, 8462], 1, 0.5),
    random("nightly, seed 2", [3, 273, 1, 8462], 2, 0.5),
    random("nightly, seed 3", [3, 273, 1, 8462], 3, 0.5),
    random("nightly, seed 4", [3, 273, 1, 8462], 4, 0.5),
];

impl Case {
    /// The tensor's shape: batch, heads, sequence, features.
    pub fn shape(&self) -> Shape {
        let [batch, sequence, heads, features] = self.sizes;
        Shape::new(&[batch, heads, sequence, features]).expect("sizes are not zero")
    }

    /// Runs the faulty kernel and ours on the same data.
    pub fn run(&self, options: RunOptions) -> Result<Row, OpError> {
        let shape = self.shape();
        let inputs = self.inputs(&shape);
        let faulty = match run_published(&shape, &inputs, Faults::PUBLISHED, 0.0, options)? {
            Published::Values(dx) => dx,
            Published::Ended(ending) => {
                let why = format!("the published kernel did not complete: {ending:?}");
                return Err(OpError::Invalid(why));
            }
        };
        let exact = reference::dx(&inputs);
        let errors: Vec<f32> = faulty
            .iter()
            .zip(&exact)
            .map(|(got, exact)| (f64::from(*got) - exact.value).abs() as f32)
            .collect();
        let ours = judge::judge(&run_ours(&shape, inputs, options)?, &exact);
        Ok(Row {
            case: *self,
            faulty_max: f64::from(errors.iter().copied().fold(0.0, f32::max)),
            faulty_mean: f64::from(sequential_mean(&errors)),
            ours_max: ours.max_abs_error,
            ours_worst_ratio: ours.worst.ratio,
        })
    }

    /// The data as bf16 tensors hold it.
    fn inputs(&self, shape: &Shape) -> BackwardInputs {
        self.data.inputs(shape)
    }
}

impl Data {
    /// The data as bf16 tensors hold it.
    pub(super) fn inputs(self, shape: &Shape) -> BackwardInputs {
        let features = shape.width();
        let (x, gamma, dy, family) = match self {
            Data::Constants(dy, gamma, x) => {
                let volume = shape.volume();
                (vec![x; volume], vec![gamma; features], vec![dy; volume], Family::Constant)
            }
            Data::Random { seed } => {
                let uniform = |stream| Family::Uniform.values(shape, seed, stream);
                let row = Shape::new(&[features]).expect("a width");
                let unit = Family::Uniform.values(&row, seed, 1);
                let gamma = unit.iter().map(|unit| 0.5 + 0.5 * unit).collect();
                (uniform(0), gamma, uniform(3), Family::Uniform)
            }
        };
        BackwardInputs::new((DataFormat::Bfloat16, family), shape, [&x, &gamma, &dy])
    }
}

/// f32 additions one after another, which lose digits as the sum grows: that is how the report's
/// mean came to lie above its maximum.
fn sequential_mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}

/// What became of a published kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    /// It completed with this dx.
    Values(Vec<f32>),
    /// It did not.
    Ended(Ending),
}

/// Puts the inputs of the published kernel on a device, with the faults asked for, on 64 cores.
pub fn prepare_published(
    shape: &Shape,
    inputs: &BackwardInputs,
    faults: Faults,
    padding: f32,
) -> Result<(Device, Program, Outputs), OpError> {
    let mut device = Device::n150();
    let path = published::path(&device, shape);
    let (program, outputs) = place_published(&mut device, shape, inputs, (faults, path), padding)?;
    Ok((device, program, outputs))
}

/// The same on a device that exists, on a path of the caller's choice.
pub(super) fn place_published(
    device: &mut Device,
    shape: &Shape,
    inputs: &BackwardInputs,
    (faults, path): (Faults, Path),
    padding: f32,
) -> Result<(Program, Outputs), OpError> {
    let request = Request { padding, ..request(shape) };
    let (row, column) = (row_shape(shape), column_shape(shape));
    let mut place = |shape: Shape, values: &[f32]| {
        let placed = tensors::place(device, &request, (shape, Layout::Tile), values);
        placed.map(|input| input.tensor)
    };
    let tensors = Inputs {
        x: place(*shape, &inputs.x)?,
        gamma: place(row, &inputs.gamma)?,
        mean: place(column, &inputs.mean)?,
        rstd: place(column, &inputs.rstd)?,
        dy: place(*shape, &inputs.dy)?,
    };
    let mut output = || tensors::output(device, &request, *shape);
    let outputs = Outputs { dx: output()?, dgamma: output()?, dbeta: output()? };
    let program = published::program(device, &tensors, &outputs, path, faults, 64)?;
    Ok((program, outputs))
}

/// Runs the published kernel with the faults asked for, on 64 cores.
pub fn run_published(
    shape: &Shape,
    inputs: &BackwardInputs,
    faults: Faults,
    padding: f32,
    options: RunOptions,
) -> Result<Published, OpError> {
    let (mut device, program, outputs) = prepare_published(shape, inputs, faults, padding)?;
    let outcome = program.run(&mut device, options, &mut [])?;
    if outcome.ending != Ending::Completed {
        return Ok(Published::Ended(outcome.ending));
    }
    Ok(Published::Values(outputs.dx.to_host(&mut device)?.to_f32()))
}

/// Our dx for inputs that are given.
fn run_ours(
    shape: &Shape,
    inputs: BackwardInputs,
    options: RunOptions,
) -> Result<Vec<f32>, OpError> {
    let mut device = Device::n150();
    let prepared = backward::prepare(&mut device, &request(shape), inputs)?;
    // The first program makes dx, the second the rest.
    let outcome = prepared.programs[0].run(&mut device, options, &mut [])?;
    assert_eq!(outcome.ending, Ending::Completed, "our kernel completes");
    Ok(prepared.outputs[0].tensor.to_host(&mut device)?.to_f32())
}

/// A request with the settings of these kernels.
fn request(shape: &Shape) -> Request {
    let mut request = Request::new(*shape, DataFormat::Bfloat16);
    request.settings = SETTINGS;
    request
}
