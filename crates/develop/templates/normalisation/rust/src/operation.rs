//! operation_name: LayerNorm of row-major tensors, sticks in and sticks out.

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
    /// What is added to the variance.
    pub epsilon: f32,
}

/// LayerNorm of `input` over its last dimension: (x - mean) / std times `gamma` plus `beta`.
///
/// All are bf16 tensors, row-major and interleaved. Height and width of `input` are multiples of
/// 32; `gamma` and `beta` have its width. `epsilon` is added to the variance. The output is in
/// `memory`, or in that of `input`.
pub fn operation_name(
    queue: &mut impl Queue,
    input: &DeviceTensor,
    gamma: &DeviceTensor,
    beta: &DeviceTensor,
    epsilon: f32,
    memory: Option<MemoryConfig>,
) -> Result<DeviceTensor, Error> {
    validate(input, gamma, beta, epsilon)?;
    let attributes = Attributes {
        memory: memory.unwrap_or_else(|| input.memory()),
        epsilon,
    };
    launch(
        queue,
        &[*input, *gamma, *beta],
        &attributes,
        Path::new(KERNELS),
    )
}

/// Refuses what the kernels cannot do.
pub fn validate(
    input: &DeviceTensor,
    gamma: &DeviceTensor,
    beta: &DeviceTensor,
    epsilon: f32,
) -> Result<(), Error> {
    for (name, tensor) in [("input", input), ("gamma", gamma), ("beta", beta)] {
        require(
            tensor.layout == Layout::RowMajor,
            &format!("{name} must be row-major"),
        )?;
        require(
            tensor.memory().shards.is_none(),
            &format!("{name} must be interleaved"),
        )?;
        require(
            tensor.format == DataFormat::Bfloat16,
            &format!("{name} must be bf16"),
        )?;
    }
    require(input.shape.rank() >= 2, "input must have rank 2 or more")?;
    require(
        input.shape.width() % 32 == 0,
        "the width of input must be a multiple of 32",
    )?;
    require(
        input.shape.height() % 32 == 0,
        "the height of input must be a multiple of 32",
    )?;
    for (name, tensor) in [("gamma", gamma), ("beta", beta)] {
        let sizes = (tensor.shape.width(), tensor.shape.volume());
        let fits = sizes == (input.shape.width(), input.shape.width());
        require(
            fits,
            &format!("{name} must have as many values as input is wide"),
        )?;
    }
    require(epsilon > 0.0, "epsilon must be positive")
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
    let memory = attributes.memory.clone();
    Ok(DeviceTensor::empty(
        device, x.shape, x.layout, x.format, memory,
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
