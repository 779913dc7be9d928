//! Programs, kernels and tensors: what a host or kernel author calls.
//!
//! Does not judge correctness: that is `check`.

pub mod api;
mod buffer;
mod core_set;
mod device;
mod formats;
mod interleaving;
mod kernel;
mod launch;
mod program;
mod program_error;
mod tensor_accessor;

pub use buffer::{Buffer, BufferError};
pub use core_set::CoreSet;
pub use device::{AllocationError, Device};
pub use interleaving::{Interleaving, Storage};
pub use kernel::{
    CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel, DataMovementPlace,
};
pub use program::{CbDeclaration, CbSpec, KernelId, Program, ProgramBuilder, SemaphoreId};
pub use program_error::ProgramError;
pub use tensor_accessor::{AccessorError, TensorAccessor, TensorAccessorArgs};
