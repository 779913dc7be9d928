//! What every operation offers to the command line and to tests.

use std::collections::BTreeMap;
use std::fmt;

use tilewright_metal::{
    AllocationError, ComputeConfig, ComputeSettings, Device, Family, ProgramError, Shape,
    ShapeError, TensorError, WorkSplitError,
};
pub use tilewright_metal::{Expected, Prepared};
use tilewright_tile::{Chip, DataFormat, DstWidth, Fidelity};

use crate::reference::{Given, Roles, Wanted};

/// What a user asks of an operation.
#[derive(Clone, Debug)]
pub struct Request {
    /// The shape of the first input.
    pub shape: Shape,
    /// The format of inputs and outputs.
    pub format: DataFormat,
    /// At most so many cores.
    pub cores: u32,
    /// Width of Dst, sharing of Dst, fidelity.
    pub settings: ComputeSettings,
    /// What the inputs hold that are not given.
    pub family: Family,
    /// Values of inputs, by their roles.
    pub given: BTreeMap<String, Vec<f32>>,
    /// What a normalisation adds to the variance; the operation's own unless given.
    pub epsilon: Option<f32>,
    /// The seed of the inputs.
    pub data_seed: u64,
    /// What the inputs' tiles hold beyond their values: no result may depend on it.
    pub padding: f32,
    /// The operation's own choices, by name.
    pub choices: BTreeMap<String, String>,
    /// What is known of a kernel that is not ours.
    pub kernel: ForeignKernel,
}

/// What references of tt-metal's kernels depend on, besides a request's settings.
#[derive(Clone, Debug, Default)]
pub struct ForeignKernel {
    /// Whose arithmetic it runs on.
    pub chip: Chip,
    /// Whether vector functions are compiled in their approximate form.
    pub is_approximate: bool,
    /// Whether fp32 inputs go straight to Dst.
    pub unpacks_to_dst: bool,
    /// The formats of the outputs that are judged, in the order of their roles.
    pub outputs: Vec<Option<DataFormat>>,
}

impl Request {
    /// The usual request for a shape and format: 64 cores, HiFi4, Dst as wide as the format.
    pub fn new(shape: Shape, format: DataFormat) -> Request {
        let settings = usual_settings(format);
        Request {
            shape,
            format,
            cores: 64,
            settings,
            family: Family::Uniform,
            given: BTreeMap::new(),
            epsilon: None,
            data_seed: 0,
            padding: 0.0,
            choices: BTreeMap::new(),
            kernel: ForeignKernel::default(),
        }
    }

    /// The same request with one of the operation's own choices made.
    pub fn choose(mut self, name: &str, value: &str) -> Request {
        self.choices.insert(name.to_owned(), value.to_owned());
        self
    }

    /// What an input holds: the values given for its role, or those of `generate`.
    pub(crate) fn values(
        &self,
        role: &str,
        shape: &Shape,
        generate: impl FnOnce() -> Vec<f32>,
    ) -> Result<Vec<f32>, OpError> {
        let Some(given) = self.given.get(role) else { return Ok(generate()) };
        if given.len() == shape.volume() {
            return Ok(given.clone());
        }
        let (has, needs) = (given.len(), shape.volume());
        Err(OpError::Invalid(format!("`{role}` has {has} values; its shape {shape} needs {needs}")))
    }

    /// The family that bounds may rely on. Values that were given may be anything.
    pub(crate) fn known_family(&self) -> Family {
        if self.given.is_empty() { self.family } else { Family::WideRange }
    }

    /// Refuses choices that the operation does not have, and formats that have no bound.
    pub(crate) fn check(&self, operation: &dyn Operation) -> Result<(), OpError> {
        let known: Vec<&str> = operation.choices().iter().map(|choice| choice.name).collect();
        if let Some(name) = self.choices.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(OpError::NoSuchChoice { name: name.clone(), known });
        }
        match self.format {
            DataFormat::Bfloat16 | DataFormat::Float32 => Ok(()),
            DataFormat::Tf32 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
                let (name, format) = (operation.name(), self.format);
                Err(OpError::Invalid(format!(
                    "{name} does not take {format} tensors; use bf16 or fp32"
                )))
            }
        }
    }

    /// The compute configuration of the request.
    pub fn compute_config(&self) -> ComputeConfig {
        ComputeConfig { settings: self.settings, ..ComputeConfig::default() }
    }

    /// The number given for a choice whose values include [`Choice::NUMBER`], or `default` where
    /// the choice is left at its first value.
    pub fn number(&self, choice: &Choice, default: u32) -> Result<u32, OpError> {
        let asked = match self.choices.get(choice.name) {
            Some(asked) if asked != choice.values[0] => asked,
            Some(_) | None => return Ok(default),
        };
        let is_digits = asked.bytes().all(|byte| byte.is_ascii_digit());
        let number = asked.parse().ok().filter(|number| is_digits && *number > 0);
        number.ok_or_else(|| choice.refuse(asked))
    }

    /// The number given for a choice whose values include [`Choice::REAL`]; none where the choice
    /// is left at its first value.
    pub fn real(&self, choice: &Choice) -> Result<Option<f64>, OpError> {
        let asked = match self.choices.get(choice.name) {
            Some(asked) if asked != choice.values[0] => asked,
            Some(_) | None => return Ok(None),
        };
        let number = asked.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
        number.map(Some).ok_or_else(|| choice.refuse(asked))
    }

    /// The value of a choice, or its default; a value that is none of the listed is an error.
    pub fn choice(&self, choice: &Choice) -> Result<&'static str, OpError> {
        let Some(asked) = self.choices.get(choice.name) else { return Ok(choice.values[0]) };
        let found = choice.values.iter().copied().find(|value| value == asked);
        found.ok_or_else(|| choice.refuse(asked))
    }
}

/// HiFi4, and Dst as wide as the format.
fn usual_settings(format: DataFormat) -> ComputeSettings {
    let width = match format {
        DataFormat::Float32 | DataFormat::Tf32 => DstWidth::Bits32,
        DataFormat::Bfloat16 | DataFormat::Bfp8 | DataFormat::Integer(_) | DataFormat::Small(_) => {
            DstWidth::Bits16
        }
    };
    ComputeSettings { width, fidelity: Fidelity::HiFi4, ..ComputeSettings::default() }
}

/// Something that an operation lets its caller choose; the first value is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: &'static str,
    /// What it may be; [`Choice::NUMBER`] among them stands for every number.
    pub values: &'static [&'static str],
    /// What it means.
    pub about: &'static str,
}

impl Choice {
    /// The value that stands for any whole number from 1.
    pub const NUMBER: &'static str = "a whole number from 1";

    /// The value that stands for any number above zero, such as `1e-5`.
    pub const REAL: &'static str = "a number above zero";

    fn refuse(&self, asked: &str) -> OpError {
        let (name, asked) = (self.name.to_owned(), asked.to_owned());
        OpError::BadChoice { name, asked, values: self.values.to_vec() }
    }
}

/// One operation.
pub trait Operation: Sync {
    /// The name that `tilewright run` takes.
    fn name(&self) -> &'static str;
    /// What it computes, in a line.
    fn about(&self) -> &'static str;
    /// What its caller may choose besides shape and format.
    fn choices(&self) -> &'static [Choice] {
        &[]
    }
    /// Width and sharing of Dst and fidelity, unless a request says otherwise.
    fn settings(&self, format: DataFormat) -> ComputeSettings {
        usual_settings(format)
    }
    /// The names of its tensors.
    fn roles(&self) -> Roles;
    /// Values of its largest tensor, padding included, so that a host can tell beforehand whether
    /// it holds them.
    fn values_most(&self, request: &Request) -> u64 {
        request.shape.padded_volume() as u64
    }
    /// What its outputs must hold, for inputs in the order of `roles`, whoever computes them. The
    /// request's shape is that of the first input.
    fn exact(
        &self,
        device: &Device,
        request: &Request,
        given: Vec<Given>,
    ) -> Result<Vec<Wanted>, OpError>;
    /// Checks a request, puts inputs on the device and makes the program.
    fn prepare(&self, device: &mut Device, request: &Request) -> Result<Prepared, OpError>;
}

/// Every operation, in the order in which `tilewright list` shows them.
pub fn operations() -> &'static [&'static dyn Operation] {
    &[
        &crate::copy::Copy,
        &crate::identity::Identity,
        &crate::eltwise::Eltwise,
        &crate::reduce::Reduce,
        &crate::matmul::Matmul,
        &crate::softmax::Softmax,
        &crate::layernorm::forward::Forward,
        &crate::layernorm::backward::Backward,
        &crate::layernorm::fused_rm::FusedRm,
    ]
}

/// The operation with a name.
pub fn find(name: &str) -> Option<&'static dyn Operation> {
    operations().iter().copied().find(|operation| operation.name() == name)
}

/// Why an operation cannot be prepared.
#[derive(Clone, Debug, PartialEq)]
pub enum OpError {
    /// The request is outside what the operation does; says what, and what would be right.
    Invalid(String),
    /// A choice has no such value.
    BadChoice {
        /// The choice.
        name: String,
        /// The value that was asked for.
        asked: String,
        /// What it may be.
        values: Vec<&'static str>,
    },
    /// The operation has no such choice.
    NoSuchChoice {
        /// The choice that was asked for.
        name: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// The program is wrong, most often because it does not fit in L1.
    Program(ProgramError),
    /// The device has no room for a tensor.
    Allocation(AllocationError),
    /// A tensor cannot be made.
    Tensor(TensorError),
    /// A tensor cannot have such a shape.
    Shape(ShapeError),
    /// The work cannot be split.
    Split(WorkSplitError),
    /// The host could not run the program.
    Host(String),
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpError::Invalid(why) => f.write_str(why),
            OpError::BadChoice { name, asked, values } => {
                write!(f, "{name} cannot be `{asked}`; expected {}", alternatives(values))
            }
            OpError::NoSuchChoice { name, known } if known.is_empty() => {
                write!(f, "unknown option `{name}`; this operation has none")
            }
            OpError::NoSuchChoice { name, known } => {
                write!(f, "unknown option `{name}`; expected {}", alternatives(known))
            }
            OpError::Program(error) => error.fmt(f),
            OpError::Allocation(error) => error.fmt(f),
            OpError::Tensor(error) => error.fmt(f),
            OpError::Shape(error) => error.fmt(f),
            OpError::Split(error) => error.fmt(f),
            OpError::Host(why) => write!(f, "the host cannot run kernels: {why}"),
        }
    }
}

impl std::error::Error for OpError {}

/// What may be chosen: `a`, `b` or a description of the others.
fn alternatives(names: &[&str]) -> String {
    let quote = |name: &&str| match name.contains(' ') {
        true => (*name).to_owned(),
        false => format!("`{name}`"),
    };
    let quoted: Vec<String> = names.iter().map(quote).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

impl From<std::io::Error> for OpError {
    fn from(error: std::io::Error) -> OpError {
        OpError::Host(error.to_string())
    }
}

impl From<ProgramError> for OpError {
    fn from(error: ProgramError) -> OpError {
        OpError::Program(error)
    }
}

impl From<AllocationError> for OpError {
    fn from(error: AllocationError) -> OpError {
        OpError::Allocation(error)
    }
}

impl From<TensorError> for OpError {
    fn from(error: TensorError) -> OpError {
        OpError::Tensor(error)
    }
}

impl From<ShapeError> for OpError {
    fn from(error: ShapeError) -> OpError {
        OpError::Shape(error)
    }
}

impl From<WorkSplitError> for OpError {
    fn from(error: WorkSplitError) -> OpError {
        OpError::Split(error)
    }
}
