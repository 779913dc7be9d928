//! LayerNorm on row-major tensors: sticks in, sticks out, tiles in between.

mod compute;
mod program_factory;
mod reader;
mod validation;
mod writer;

pub use validation::Argument;

use tilewright_metal::{ComputeSettings, Device, DeviceTensor, Layout, Program, Shape, Storage};
use tilewright_tile::DataFormat;

use super::forward::check_settings;
use super::inputs::scale_and_shift;
use super::reference::{ForwardInputs, ForwardRows};
use super::{PATH, Path, SETTINGS, asked};
use crate::operation::{Choice, Expected, OpError, Operation, Prepared, Request};
use crate::reference::{self as given, Given, Roles, Wanted};
use crate::tensors;
use validation::{Description, Memory, validate};

/// The epsilon of the operation's interface.
pub const EPSILON: f32 = 1e-5;

/// What a caller may choose; the default lets the operation choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The memory of the output; the input's unless given.
    pub storage: Option<Storage>,
    /// At most so many cores.
    pub cores: u32,
    /// The whole row in L1 or blocks of it; what fits unless given.
    pub path: Option<Path>,
}

impl Default for Options {
    fn default() -> Options {
        Options { storage: None, cores: 64, path: None }
    }
}

/// A checked call: its program, and the tensor that holds y once the program has run.
pub struct Call {
    /// The program.
    pub program: Program,
    /// y: shape, layout and format are the input's.
    pub output: DeviceTensor,
}

/// LayerNorm over the last dimension of a row-major bf16 tensor, times `gamma`, plus `beta`.
///
/// `input` has at least two dimensions, the last two multiples of 32; `gamma` and `beta` are
/// 1-D of its last size. All three are interleaved on the device; anything else is refused with
/// a message that says what would be right.
pub fn layernorm_fused_rm(
    device: &mut Device,
    input: impl Into<Argument>,
    gamma: impl Into<Argument>,
    beta: impl Into<Argument>,
    epsilon: f32,
    options: &Options,
) -> Result<Call, OpError> {
    faulty(device, input, gamma, beta, epsilon, options, Faults::default())
}

/// Faults of the kernels, as such kernels have had them: programs to try tools and tests on. All
/// false is the operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The reader reads β over γ's sticks before compute has them.
    pub overwritten_gamma: bool,
    /// The buffer that feeds tilize has a page for each stick and the reader pushes 32 of them,
    /// while compute counts in tiles.
    pub stick_sized_page: bool,
}

/// The operation with faults.
///
/// # Errors
///
/// As [`layernorm_fused_rm`].
pub fn faulty(
    device: &mut Device,
    input: impl Into<Argument>,
    gamma: impl Into<Argument>,
    beta: impl Into<Argument>,
    epsilon: f32,
    options: &Options,
    faults: Faults,
) -> Result<Call, OpError> {
    let (input, gamma, beta) = (input.into(), gamma.into(), beta.into());
    validate(&input.description(), &gamma.description(), &beta.description(), epsilon)?;
    let x = input.into_device();
    let storage = options.storage.unwrap_or(x.buffer.storage);
    let output = DeviceTensor::empty(device, x.shape, x.layout, x.format, storage)?;
    let tensors = program_factory::Tensors {
        x,
        gamma: gamma.into_device(),
        beta: beta.into_device(),
        y: output,
    };
    let program = program_factory::program(device, options, epsilon, &tensors, faults)?;
    Ok(Call { program, output })
}

/// The operation.
pub struct FusedRm;

impl Operation for FusedRm {
    fn name(&self) -> &'static str {
        "layernorm-rm"
    }

    fn about(&self) -> &'static str {
        "row-major LayerNorm over the last dimension: sticks in, sticks out"
    }

    fn choices(&self) -> &'static [Choice] {
        &[PATH]
    }

    fn settings(&self, _format: DataFormat) -> ComputeSettings {
        SETTINGS
    }

    fn roles(&self) -> Roles {
        Roles { inputs: &["x", "gamma", "beta"], outputs: &["y"] }
    }

    fn exact(
        &self,
        _: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError> {
        check_settings(request, self.name())?;
        let shape = request.shape;
        let row = Shape::new(&[shape.width()]).expect("a width is not zero");
        let [x, gamma, beta] = given::taken(&self.roles(), given, [shape, row, row])?;
        let inputs = ForwardInputs {
            format: request.format,
            is_tilized: true,
            family: request.known_family(),
            features: shape.width(),
            epsilon: request.epsilon.unwrap_or(EPSILON),
            x,
            gamma,
            beta,
        };
        let rows = ForwardRows::new(inputs);
        let values = given::in_parts(shape.volume(), shape.width(), move |row, y| rows.y(row, y));
        Ok(vec![Wanted { name: "y", shape, values }])
    }

    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError> {
        let shape = &request.shape;
        let row_shape = Shape::new(&[shape.width()]).expect("a width is not zero");
        let will_be = |shape| Description {
            shape,
            layout: Layout::RowMajor,
            format: request.format,
            memory: Memory::Interleaved,
        };
        // Before there are tensors: some formats have no sticks at all.
        let epsilon = request.epsilon.unwrap_or(EPSILON);
        validate(&will_be(*shape), &will_be(row_shape), &will_be(row_shape), epsilon)?;
        check_settings(request, self.name())?;
        let generate = || request.family.values(shape, request.data_seed, 0);
        let x = request.values("x", shape, generate)?;
        let (gamma, beta) = scale_and_shift(request)?;
        let mut place = |shape: Shape, values: &[f32]| {
            tensors::place(device, request, (shape, Layout::RowMajor), values)
        };
        let x = place(*shape, &x)?;
        let (gamma, beta) = (place(row_shape, &gamma)?, place(row_shape, &beta)?);
        let options = Options { storage: None, cores: request.cores, path: asked(request)? };
        let call =
            layernorm_fused_rm(device, x.tensor, gamma.tensor, beta.tensor, epsilon, &options)?;
        let wanted = self.exact(device, request, vec![x.given(), gamma.given(), beta.given()])?;
        let input_tiles = (shape.tiles() + 2 * row_shape.tiles()) as u64;
        Ok(Prepared {
            programs: vec![call.program],
            input_tiles,
            outputs: Expected::all(wanted, &[call.output]),
        })
    }
}
