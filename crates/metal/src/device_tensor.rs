//! Tensors on the device: a buffer and what its bytes mean.

use tilewright_machine::Architecture;
use tilewright_tile::DataFormat;

use crate::buffer::Buffer;
use crate::device::Device;
use crate::interleaving::{Interleaving, Storage};
use crate::memory_config::MemoryConfig;
use crate::shape::Shape;
use crate::tensor::{Layout, Paging, Tensor, TensorError};
use crate::tensor_accessor::TensorAccessorArgs;

/// A tensor in a device's memory. Dropping it frees nothing; `Device::reset` makes it stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTensor {
    /// The shape, without padding.
    pub shape: Shape,
    /// The order of its values.
    pub layout: Layout,
    /// The format of its values.
    pub format: DataFormat,
    /// Its pages: sticks or tiles.
    pub buffer: Buffer,
}

impl Tensor {
    /// Copies the tensor, as it is, into newly allocated pages.
    pub fn to_device(
        &self,
        device: &mut Device,
        storage: Storage,
    ) -> Result<DeviceTensor, TensorError> {
        let tensor =
            DeviceTensor::empty(device, *self.shape(), self.layout(), self.format(), storage)?;
        tensor.buffer.write(device, self.bytes())?;
        Ok(tensor)
    }
}

impl DeviceTensor {
    /// Allocates pages and leaves in them what was there, as an operation's output is allocated.
    pub fn empty(
        device: &mut Device,
        shape: Shape,
        layout: Layout,
        format: DataFormat,
        storage: Storage,
    ) -> Result<DeviceTensor, TensorError> {
        let Paging { page_bytes, pages } = Paging::new(&shape, layout, format)?;
        let too_long = |_| TensorError::StickTooLong { shape };
        let page_bytes = u32::try_from(page_bytes).map_err(too_long)?;
        // The greatest shape has fewer than 2^32 sticks.
        let buffer = device.allocate(storage, page_bytes, pages as u32)?;
        Ok(DeviceTensor { shape, layout, format, buffer })
    }

    /// Allocates pages and writes zeros to them, padding included.
    pub fn zeros(
        device: &mut Device,
        shape: Shape,
        layout: Layout,
        format: DataFormat,
        storage: Storage,
    ) -> Result<DeviceTensor, TensorError> {
        let tensor = DeviceTensor::empty(device, shape, layout, format, storage)?;
        tensor.buffer.fill(device, 0)?;
        Ok(tensor)
    }

    /// A tensor of parts (shape, layout, format) that lies at an address already.
    pub fn at(
        arch: &Architecture,
        (shape, layout, format): (Shape, Layout, DataFormat),
        memory: &MemoryConfig,
        address: u32,
    ) -> Result<DeviceTensor, TensorError> {
        let Paging { page_bytes, pages } = Paging::new(&shape, layout, format)?;
        let too_long = |_| TensorError::StickTooLong { shape };
        let page_bytes = u32::try_from(page_bytes).map_err(too_long)?;
        let interleaving = Interleaving::new(arch, memory.storage);
        let buffer = Buffer::new(interleaving, address.into(), page_bytes, pages as u32);
        Ok(DeviceTensor { shape, layout, format, buffer })
    }

    /// Where its pages go.
    pub fn memory(&self) -> MemoryConfig {
        MemoryConfig::from(self.buffer.storage)
    }

    /// Copies the tensor, as it is, to the host.
    pub fn to_host(&self, device: &mut Device) -> Result<Tensor, TensorError> {
        let bytes = self.buffer.read(device)?;
        Tensor::from_bytes(self.shape, self.layout, self.format, bytes)
    }

    /// What a kernel must know of it when it is compiled.
    pub fn accessor_args(&self) -> TensorAccessorArgs {
        TensorAccessorArgs::new(&self.buffer)
    }
}
