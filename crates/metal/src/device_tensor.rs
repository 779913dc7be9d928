//! Tensors on the device: a buffer and what its bytes mean.

use tilewright_machine::Architecture;
use tilewright_tile::DataFormat;

use crate::buffer::Buffer;
use crate::device::Device;
use crate::interleaving::Interleaving;
use crate::memory_config::MemoryConfig;
use crate::shape::Shape;
use crate::sharding::ShardedPages;
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
        memory: impl Into<MemoryConfig>,
    ) -> Result<DeviceTensor, TensorError> {
        let tensor =
            DeviceTensor::empty(device, *self.shape(), self.layout(), self.format(), memory)?;
        tensor.write(device, self)?;
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
        memory: impl Into<MemoryConfig>,
    ) -> Result<DeviceTensor, TensorError> {
        let (parts, memory) = ((shape, layout, format), memory.into());
        let pages = Pages::of(device.architecture(), parts, &memory)?;
        let buffer = match pages {
            Pages::Interleaved { page_bytes, pages } => {
                device.allocate(memory.storage, page_bytes, pages)?
            }
            Pages::Sharded(shards) => device.allocate_shards(memory.storage, shards)?,
        };
        Ok(DeviceTensor { shape, layout, format, buffer })
    }

    /// Allocates pages and writes zeros to them, padding included.
    pub fn zeros(
        device: &mut Device,
        shape: Shape,
        layout: Layout,
        format: DataFormat,
        memory: impl Into<MemoryConfig>,
    ) -> Result<DeviceTensor, TensorError> {
        let tensor = DeviceTensor::empty(device, shape, layout, format, memory)?;
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
        let interleaving = Interleaving::new(arch, memory.storage);
        let buffer = match Pages::of(arch, (shape, layout, format), memory)? {
            Pages::Interleaved { page_bytes, pages } => {
                Buffer::new(interleaving, address.into(), page_bytes, pages)
            }
            Pages::Sharded(shards) => Buffer::sharded(interleaving, address.into(), shards),
        };
        Ok(DeviceTensor { shape, layout, format, buffer })
    }

    /// Where its pages go.
    pub fn memory(&self) -> MemoryConfig {
        let shards = self.buffer.sharding().and_then(|it| it.distribution().spec.clone());
        MemoryConfig { storage: self.buffer.storage, shards }
    }

    /// Replaces its values by those of a tensor of the same shape, layout and format.
    pub fn write(&self, device: &mut Device, tensor: &Tensor) -> Result<(), TensorError> {
        match self.sticks() {
            Some((stick, padded)) => {
                let mut bytes = Vec::with_capacity(self.buffer.bytes());
                for row in tensor.bytes().chunks(stick) {
                    bytes.extend_from_slice(row);
                    bytes.resize(bytes.len() + padded - stick, 0);
                }
                self.buffer.write(device, &bytes)?;
            }
            None => self.buffer.write(device, tensor.bytes())?,
        }
        Ok(())
    }

    /// Bytes of a stick, and of the pages that hold it, if those are more.
    fn sticks(&self) -> Option<(usize, usize)> {
        self.buffer.sharding()?;
        let stick = self.shape.width() * self.format.value_bytes()?;
        let padded = self.buffer.bytes() / self.shape.sticks();
        (self.layout == Layout::RowMajor && padded != stick).then_some((stick, padded))
    }

    /// Copies the tensor, as it is, to the host.
    pub fn to_host(&self, device: &mut Device) -> Result<Tensor, TensorError> {
        let mut bytes = self.buffer.read(device)?;
        if let Some((stick, padded)) = self.sticks() {
            bytes = bytes.chunks(padded).flat_map(|row| &row[..stick]).copied().collect();
        }
        Tensor::from_bytes(self.shape, self.layout, self.format, bytes)
    }

    /// What a kernel must know of it when it is compiled.
    pub fn accessor_args(&self) -> TensorAccessorArgs {
        TensorAccessorArgs::new(&self.buffer)
    }
}

/// The pages of a tensor before it has an address.
enum Pages {
    Interleaved { page_bytes: u32, pages: u32 },
    Sharded(ShardedPages),
}

impl Pages {
    fn of(
        arch: &Architecture,
        (shape, layout, format): (Shape, Layout, DataFormat),
        memory: &MemoryConfig,
    ) -> Result<Pages, TensorError> {
        let Paging { page_bytes, pages } = Paging::new(&shape, layout, format)?;
        if let Some(spec) = &memory.shards {
            let shards = ShardedPages::new(arch, (&shape, layout, format), memory, spec);
            return shards.map(Pages::Sharded).map_err(TensorError::Shards);
        }
        let too_long = |_| TensorError::StickTooLong { shape };
        let page_bytes = u32::try_from(page_bytes).map_err(too_long)?;
        // The greatest shape has fewer than 2^32 sticks.
        Ok(Pages::Interleaved { page_bytes, pages: pages as u32 })
    }
}
