//! Programs, kernels and tensors: what a host or kernel author calls.
//!
//! Does not judge correctness: that is `check`.

pub mod api;
mod block_float;
mod buffer;
mod convert;
mod core_set;
#[cfg(all(feature = "cpp", target_os = "linux"))]
pub mod cpp;
mod declaration;
mod device;
mod device_tensor;
mod formats;
mod interleaving;
mod kernel;
mod launch;
mod placement;
mod program;
mod program_edit;
mod program_error;
mod shape;
mod tensor;
mod tensor_accessor;
pub mod tensor_io;
mod work_split;

pub use buffer::{Buffer, BufferError};
pub use core_set::CoreSet;
pub use declaration::{
    ContributionDeclaration, Declarations, Extent, RowSumDeclaration, TensorDeclaration,
};
pub use device::{AllocationError, Device};
pub use device_tensor::DeviceTensor;
pub use interleaving::{Interleaving, Storage};
pub use kernel::{
    CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel, DataMovementPlace,
};
pub use program::{
    Allowance, CbDeclaration, CbSpec, KernelId, Program, ProgramBuilder, SemaphoreId,
};
pub use program_error::{L1Share, ProgramError};
pub use shape::{Shape, ShapeError};
pub use tensor::{Layout, Paging, Tensor, TensorError};
pub use tensor_accessor::{AccessorError, TensorAccessor, TensorAccessorArgs};
pub use tensor_io::TensorIoError;
pub use work_split::{CoreWork, WorkSplit, WorkSplitError};

// What a kernel or host author meets of the machine itself.
pub use tilewright_machine::{
    Architecture, Change, ComputeSettings, CoreCoord, CoreRange, Cycle, DstSync, Edit, Ending,
    Event, L1Address, NocAddress, NocMode, Observer, Outcome, Processor, ProcessorId, RunOptions,
    Site, SourceId, Turn, Watch,
};
