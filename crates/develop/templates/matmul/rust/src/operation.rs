//! operation_name: the product of two matrices.

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

/// The matrix product of `a` and `b`.
///
/// Both are bf16 matrices, tiled and interleaved, with dimensions that are multiples of 32. The
/// output is in `memory`, or in that of `a`.
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
        require(
            tensor.shape.rank() == 2,
            &format!("{name} must have rank 2"),
        )?;
        let message = format!("the dimensions of {name} must be multiples of 32");
        require(tensor.shape.is_tile_aligned(), &message)?;
    }
    require(
        a.shape.width() == b.shape.height(),
        "a must be as wide as b is high",
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
    let a = &tensors[0];
    let shape = Shape::new(&[a.shape.height(), tensors[1].shape.width()])?;
    let memory = attributes.memory.clone();
    Ok(DeviceTensor::empty(
        device, shape, a.layout, a.format, memory,
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
