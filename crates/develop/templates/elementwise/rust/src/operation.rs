//! operation_name: the sum of two tensors, element by element.

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

/// `a` + `b`, element by element.
///
/// Both are bf16 tensors of the same shape, tiled and interleaved. The output is like `a`, in
/// `memory` if that is given.
pub fn operation_name(
    queue: &mut impl Queue,
    a: &DeviceTensor,
    b: &DeviceTensor,
    memory: Option<MemoryConfig>,
) -> Result<DeviceTensor, Error> {
    validate(a, b)?;
    let attributes = Attributes {
        memory: memory.unwrap_or_else(|| a.memory()),
    };
    launch(queue, &[*a, *b], &attributes, Path::new(KERNELS))
}

/// Refuses what the kernels cannot do.
pub fn validate(a: &DeviceTensor, b: &DeviceTensor) -> Result<(), Error> {
    for (name, tensor) in [("a", a), ("b", b)] {
        require(
            tensor.layout == Layout::Tile,
            &format!("{name} must be tiled"),
        )?;
        require(
            tensor.format == DataFormat::Bfloat16,
            &format!("{name} must be bf16"),
        )?;
        require(
            tensor.memory().shards.is_none(),
            &format!("{name} must be interleaved"),
        )?;
    }
    require(a.shape == b.shape, "a and b must have the same shape")
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
    let a = &tensors[0];
    let memory = attributes.memory.clone();
    Ok(DeviceTensor::empty(
        device, a.shape, a.layout, a.format, memory,
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
