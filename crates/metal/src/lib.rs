//! Programs, kernels and tensors: what a host or kernel author calls.
//!
//! Does not judge correctness: that is `check`.

mod buffer;
mod device;
mod interleaving;
mod tensor_accessor;

pub use buffer::{Buffer, BufferError};
pub use device::{AllocationError, Device};
pub use interleaving::{Interleaving, Storage};
pub use tensor_accessor::{AccessorError, TensorAccessor, TensorAccessorArgs};
