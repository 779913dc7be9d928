//! What `layernorm_fused_rm` refuses: eighteen checks in a fixed order, each with its message.

use tilewright_metal::{DeviceTensor, Layout, Shape, Tensor};
use tilewright_tile::{DataFormat, TILE_SIDE};

use super::program_factory::FORMAT;
use crate::operation::OpError;

/// A tensor as a caller hands it over. What the operation needs of it is checked, not assumed.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Not on the device.
    Host(Tensor),
    /// On the device.
    Device(DeviceTensor),
}

impl From<Tensor> for Argument {
    fn from(tensor: Tensor) -> Argument {
        Argument::Host(tensor)
    }
}

impl From<DeviceTensor> for Argument {
    fn from(tensor: DeviceTensor) -> Argument {
        Argument::Device(tensor)
    }
}

impl Argument {
    pub(super) fn description(&self) -> Description {
        match self {
            Argument::Host(tensor) => Description {
                shape: *tensor.shape(),
                layout: tensor.layout(),
                format: tensor.format(),
                memory: Memory::Host,
            },
            Argument::Device(tensor) => Description {
                shape: tensor.shape,
                layout: tensor.layout,
                format: tensor.format,
                memory: match tensor.buffer.sharding().is_some() {
                    true => Memory::Sharded,
                    false => Memory::Interleaved,
                },
            },
        }
    }

    /// The tensor, once `validate` has found it interleaved on the device.
    pub(super) fn into_device(self) -> DeviceTensor {
        match self {
            Argument::Device(tensor) => tensor,
            Argument::Host(_) => unreachable!("refused by validate"),
        }
    }
}

/// All that the checks look at.
#[derive(Clone, Copy)]
pub(super) struct Description {
    pub(super) shape: Shape,
    pub(super) layout: Layout,
    pub(super) format: DataFormat,
    pub(super) memory: Memory,
}

/// Where a tensor's bytes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    Host,
    Interleaved,
    Sharded,
}

/// Makes the eighteen checks; the first that fails is the error.
pub(super) fn validate(
    input: &Description,
    gamma: &Description,
    beta: &Description,
    epsilon: f32,
) -> Result<(), OpError> {
    check_input(input)?;
    check_parameter("gamma", gamma, &input.shape)?;
    check_parameter("beta", beta, &input.shape)?;
    let why = || format!("epsilon is {epsilon}; it must be greater than 0, such as 1e-5");
    require(epsilon > 0.0, why)
}

/// Seven checks.
fn check_input(input: &Description) -> Result<(), OpError> {
    let shape = &input.shape;
    check_place("input", input)?;
    require(shape.rank() >= 2, || {
        format!("input has shape {shape}; it must have at least 2 dimensions, such as 32x{shape}")
    })?;
    check_format("input", input)?;
    check_size(shape, "width", shape.width())?;
    check_size(shape, "height", shape.height())
}

fn check_size(shape: &Shape, name: &str, size: usize) -> Result<(), OpError> {
    require(size.is_multiple_of(TILE_SIDE), || {
        let padded = size.next_multiple_of(TILE_SIDE);
        format!(
            "input has shape {shape}, whose {name} {size} is not a multiple of {TILE_SIDE}; \
             {padded} would be"
        )
    })
}

/// Five checks of γ or β.
fn check_parameter(name: &str, parameter: &Description, input: &Shape) -> Result<(), OpError> {
    check_place(name, parameter)?;
    check_format(name, parameter)?;
    let (shape, width) = (&parameter.shape, input.width());
    // One row and no more: sizes before the last may only be 1.
    require(shape.width() == width && shape.volume() == width, || {
        format!(
            "{name} has shape {shape} and input {input}; {name} must have one dimension of \
             {width}, input's last"
        )
    })
}

/// Three checks: allocated, row-major, interleaved.
fn check_place(name: &str, tensor: &Description) -> Result<(), OpError> {
    require(tensor.memory != Memory::Host, || {
        format!("{name} is on the host; it must be on the device: copy it with `to_device`")
    })?;
    require(tensor.layout == Layout::RowMajor, || {
        format!("{name} is in {} layout; it must be in {}", tensor.layout, Layout::RowMajor)
    })?;
    require(tensor.memory != Memory::Sharded, || {
        format!("{name} is sharded over cores; it must be interleaved over banks")
    })
}

fn check_format(name: &str, tensor: &Description) -> Result<(), OpError> {
    require(tensor.format == FORMAT, || {
        format!("{name} is {}; it must be {} (bf16)", tensor.format.name(), FORMAT.name())
    })
}

fn require(holds: bool, why: impl Fn() -> String) -> Result<(), OpError> {
    if holds { Ok(()) } else { Err(OpError::Invalid(format!("layernorm_fused_rm: {}", why()))) }
}
