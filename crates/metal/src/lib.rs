//! Programs, kernels and tensors: what a host or kernel author calls.
//!
//! Does not judge correctness: that is `check`.

mod block_float;
mod buffer;
mod convert;
mod device;
mod device_tensor;
mod interleaving;
mod shape;
mod tensor;
mod tensor_accessor;
pub mod tensor_io;
mod work_split;

pub use buffer::{Buffer, BufferError};
pub use device::{AllocationError, Device};
pub use device_tensor::DeviceTensor;
pub use interleaving::{Interleaving, Storage};
pub use shape::{Shape, ShapeError};
pub use tensor::{Layout, Paging, Tensor, TensorError};
pub use tensor_accessor::{AccessorError, TensorAccessor, TensorAccessorArgs};
pub use tensor_io::TensorIoError;
pub use work_split::{CoreWork, WorkSplit, WorkSplitError};
