//! The tensors of operations: inputs filled from the request, empty outputs.

use tilewright_metal::{Device, DeviceTensor, Layout, Shape, Storage, Tensor};

use crate::operation::{OpError, Request};
use crate::reference::Given;

/// An input on the device, and what it holds there.
pub(crate) struct Input {
    pub(crate) tensor: DeviceTensor,
    contents: Tensor,
}

impl Input {
    /// What a reference needs of it.
    pub(crate) fn given(self) -> Given {
        Given { tensor: self.contents }
    }
}

/// Puts an input of the request's format on the device in tile layout: what is given for its role,
/// or values of the request's family; `stream` tells inputs apart.
pub(crate) fn input(
    device: &mut Device,
    request: &Request,
    shape: Shape,
    (role, stream): (&str, u64),
) -> Result<Input, OpError> {
    let generate = || request.family.values(&shape, request.data_seed, stream);
    let values = request.values(role, &shape, generate)?;
    place(device, request, (shape, Layout::Tile), &values)
}

/// Puts values on the device in the request's format.
pub(crate) fn place(
    device: &mut Device,
    request: &Request,
    (shape, layout): (Shape, Layout),
    values: &[f32],
) -> Result<Input, OpError> {
    let host = host(request, (shape, layout), values)?;
    let tensor = host.to_device(device, Storage::Dram)?;
    Ok(Input { tensor, contents: host })
}

/// Values in the request's format, not on the device yet.
pub(crate) fn host(
    request: &Request,
    (shape, layout): (Shape, Layout),
    values: &[f32],
) -> Result<Tensor, OpError> {
    Ok(Tensor::from_f32_as(shape, values, (layout, request.format), request.padding)?)
}

/// An output of the request's format in tile layout, to be written whole by the program.
pub(crate) fn output(
    device: &mut Device,
    request: &Request,
    shape: Shape,
) -> Result<DeviceTensor, OpError> {
    let (layout, storage) = (Layout::Tile, Storage::Dram);
    Ok(DeviceTensor::empty(device, shape, layout, request.format, storage)?)
}
