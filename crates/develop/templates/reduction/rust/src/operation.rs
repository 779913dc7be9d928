//! operation_name: the sums of the rows of a tensor.

use std::path::Path;

use tilewright_run::prelude::*;

use crate::program;
use crate::queue::{Error, Queue};

/// The folder with the kernels.
pub const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/kernels");

/// What the operation is asked for, besides its tensors.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// Where the output goes.
    pub memory: MemoryConfig,
}

/// The sums of `x` along its last dimension, which becomes 1.
///
/// `x` is a bf16 tensor of rank 2 or more, tiled and interleaved, whose last two dimensions are
/// multiples of 32. The output is in `memory`, or in that of `x`.
pub fn operation_name(
    queue: &mut impl Queue,
    x: &DeviceTensor,
    memory: Option<MemoryConfig>,
) -> Result<DeviceTensor, Error> {
    validate(x)?;
    let attributes = Attributes {
        memory: memory.unwrap_or_else(|| x.memory()),
    };
    launch(queue, &[*x], &attributes, Path::new(KERNELS))
}

/// Refuses what the kernels cannot do.
pub fn validate(x: &DeviceTensor) -> Result<(), Error> {
    require(x.layout == Layout::Tile, "x must be tiled")?;
    require(x.format == DataFormat::Bfloat16, "x must be bf16")?;
    require(x.memory().shards.is_none(), "x must be interleaved")?;
    require(x.shape.rank() >= 2, "x must have rank 2 or more")?;
    require(
        x.shape.width() % 32 == 0,
        "the width of x must be a multiple of 32",
    )?;
    require(
        x.shape.height() % 32 == 0,
        "the height of x must be a multiple of 32",
    )
}

fn require(holds: bool, message: &str) -> Result<(), Error> {
    if holds {
        Ok(())
    } else {
        Err(format!("operation_name: {message}").into())
    }
}

/// The output, on the device of the inputs.
pub fn allocate_output(
    device: &mut Device,
    tensors: &[DeviceTensor],
    attributes: &Attributes,
) -> Result<DeviceTensor, Error> {
    let x = &tensors[0];
    let shape = x.shape.with_matrix(x.shape.height(), 1)?;
    let memory = attributes.memory.clone();
    Ok(DeviceTensor::empty(
        device, shape, x.layout, x.format, memory,
    )?)
}

/// Runs the program; `kernels` is the folder with its kernels.
pub fn launch(
    queue: &mut impl Queue,
    tensors: &[DeviceTensor],
    attributes: &Attributes,
    kernels: &Path,
) -> Result<DeviceTensor, Error> {
    let output = allocate_output(queue.device(), tensors, attributes)?;
    let mut all = tensors.to_vec();
    all.push(output);
    queue.enqueue(&all, &|arch| {
        program::create(arch, &all, attributes, kernels)
    })?;
    Ok(output)
}
