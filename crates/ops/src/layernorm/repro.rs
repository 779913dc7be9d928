//! The published failure: the tests that were reported, and their data for the faulty kernel and
//! for ours. Runs nothing.

use tilewright_metal::{Device, Family, Layout, Prepared, Program, Shape};
use tilewright_tile::DataFormat;

use super::inputs::{column_shape, row_shape};
use super::published::{self, Faults, Inputs, Outputs, Path};
use super::reference::BackwardInputs;
use super::{SETTINGS, backward};
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

    /// Its data as bf16 tensors hold it.
    pub fn inputs(&self) -> BackwardInputs {
        self.data.inputs(&self.shape())
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

/// Puts the inputs of the published kernel on a device, with the faults asked for, on 64 cores.
pub fn prepare_published(
    device: &mut Device,
    shape: &Shape,
    inputs: &BackwardInputs,
    faults: Faults,
    padding: f32,
) -> Result<(Program, Outputs), OpError> {
    let path = published::path(device, shape);
    place_published(device, shape, inputs, (faults, path), padding)
}

/// The same on a path of the caller's choice.
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

/// Puts the same inputs on a device for our kernel; the first of its programs makes dx.
pub fn prepare_ours(
    device: &mut Device,
    shape: &Shape,
    inputs: BackwardInputs,
) -> Result<Prepared, OpError> {
    backward::prepare(device, &request(shape), inputs)
}

/// A request with the settings of these kernels.
fn request(shape: &Shape) -> Request {
    let mut request = Request::new(*shape, DataFormat::Bfloat16);
    request.settings = SETTINGS;
    request
}
