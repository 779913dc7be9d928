//! Programs, kernels and tensors: what a host or kernel author calls.
//!
//! Does not judge correctness: that is `check`.
//!
//! One tile from DRAM to DRAM: the reader fills a page, the writer empties it.
//!
//! ```
//! use tilewright_metal::api::DataMovement;
//! use tilewright_metal::{
//!     CbSpec, CompileTimeArgs, CoreCoord, CoreRange, DataMovementPlace, Device, DeviceTensor,
//!     Ending, Layout, Program, RunOptions, Shape, Storage, Tensor,
//! };
//! use tilewright_tile::DataFormat::Bfloat16;
//!
//! fn reader(k: &DataMovement<'_>) {
//!     let (x, _) = k.tensor_accessor(0, k.arg(0));
//!     k.cb_reserve_back(0, 1);
//!     k.noc_async_read_page(0, &x, k.get_write_ptr(0));
//!     k.noc_async_read_barrier();
//!     k.cb_push_back(0, 1);
//! }
//!
//! fn writer(k: &DataMovement<'_>) {
//!     let (y, _) = k.tensor_accessor(0, k.arg(0));
//!     k.cb_wait_front(0, 1);
//!     k.noc_async_write_page(0, &y, k.get_read_ptr(0));
//!     k.noc_async_write_barrier();
//!     k.cb_pop_front(0, 1);
//! }
//!
//! let (mut device, core) = (Device::n150(), CoreCoord::new(0, 0));
//! let shape: Shape = "32x32".parse()?;
//! let values: Vec<f32> = (0..1024).map(|value| (value % 256) as f32).collect();
//! let tensor = Tensor::from_f32(shape, &values)?.convert(Layout::Tile, Bfloat16)?;
//! let x = tensor.to_device(&mut device, Storage::Dram)?;
//! let y = DeviceTensor::zeros(&mut device, shape, Layout::Tile, Bfloat16, Storage::Dram)?;
//!
//! let cores = CoreRange::new(core, core);
//! let mut builder = Program::builder("one tile");
//! builder.circular_buffer(cores, CbSpec::tiles(0, "cb_x", Bfloat16, 1));
//! let args = |tensor: &DeviceTensor| CompileTimeArgs::positional(&tensor.accessor_args().words());
//! let (first, last) = (DataMovementPlace::Reader, DataMovementPlace::Writer);
//! let read = builder.data_movement("reader", cores, first, args(&x), reader);
//! let write = builder.data_movement("writer", cores, last, args(&y), writer);
//! builder.runtime_args(read, core, &[x.buffer.address_word()]);
//! builder.runtime_args(write, core, &[y.buffer.address_word()]);
//! let program = builder.build(device.architecture(), device.l1_lowest())?;
//!
//! let outcome = program.run(&mut device, RunOptions::default(), &mut [])?;
//! assert_eq!(outcome.ending, Ending::Completed);
//! assert_eq!(y.to_host(&mut device)?.to_f32(), values);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocator;
pub mod api;
mod api_generation;
mod block_float;
mod buffer;
pub mod call_text;
mod capture;
mod cb_spec;
mod convert;
mod core_set;
#[cfg(target_os = "linux")]
pub mod cpp;
mod declaration;
mod description;
mod device;
mod device_tensor;
mod edit_distance;
mod expected;
mod family;
mod formats;
mod interleaving;
mod intern;
mod kernel;
mod launch;
mod memory_config;
mod prepared;
mod program;
mod program_builder;
mod program_check;
mod program_edit;
mod program_error;
pub mod reserved_l1;
mod shape;
mod sharding;
mod tensor;
mod tensor_accessor;
pub mod tensor_io;
mod tensor_parts;
mod work_split;

pub use api_generation::{API_VERSION, ApiGeneration};
pub use buffer::{Buffer, BufferError};
pub use capture::{Capture, CaptureError};
pub use cb_spec::{CbDescription, CbPlacement, CbSpec};
pub use core_set::CoreSet;
pub use declaration::{
    ContributionDeclaration, Declarations, Extent, OutputPadding, RowSumDeclaration,
    TensorDeclaration,
};
pub use description::{
    Allowance, ContributionDescription, DataMovementConfig, DataMovementProcessor,
    DescriptionError, KernelConfig, KernelDescription, KernelSource, NocSharing, PaddingRule,
    ProgramDescription, RowSumDescription, RustKernel, SemaphoreDescription, SourceText,
    TensorDescription, TensorRole,
};
pub use device::{AllocationError, Device};
pub use device_tensor::DeviceTensor;
pub use edit_distance::nearest;
pub use expected::{Exact, ExactValues, Expected, Given, Parts, Roles, Wanted};
pub use family::Family;
pub use interleaving::{Interleaving, Storage};
pub use intern::intern;
pub use kernel::{
    CompileTimeArgs, ComputeConfig, ComputeKernel, DataMovementKernel, DataMovementPlace,
};
pub use memory_config::{MemoryConfig, ShardLayout, ShardOrientation, ShardSpec};
pub use prepared::{HOST_BYTES_PER_VALUE, Prepared, fingerprint};
pub use program::{KernelId, Program, SemaphoreId};
pub use program_builder::ProgramBuilder;
pub use program_error::{L1Share, ProgramError};
pub use shape::{Shape, ShapeError};
pub use sharding::Sharding;
pub use tensor::{Layout, Paging, Tensor, TensorError};
pub use tensor_accessor::{AccessorError, RuntimeWords, TensorAccessor, TensorAccessorArgs};
pub use tensor_io::TensorIoError;
pub use work_split::{CoreWork, WorkSplit, WorkSplitError};

// What a kernel or host author meets of the machine itself.
pub use tilewright_machine::{
    Architecture, Change, ComputeSettings, CoreCoord, CoreRange, Cycle, DstSync, Edit, Ending,
    Event, EventKind, L1Address, NocAddress, NocId, NocMode, Observer, Outcome, Processor,
    ProcessorId, RunOptions, Site, SourceId, Turn, UnknownDevice, Watch,
};
