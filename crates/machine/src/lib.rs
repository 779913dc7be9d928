//! The simulated device: what Tensix cores do, and when.
//!
//! Reads no clock, file or environment. Makes no choice outside `scheduler`. Emits an event for
//! everything that happens and knows nothing of its observers.
//!
//! Two kernels that wait for each other end at once, and the outcome says who waits for what:
//!
//! ```
//! use std::sync::Arc;
//! use tilewright_machine::{
//!     Architecture, CbConfig, CbId, ComputeSettings, CoreCoord, CoreLaunch, Ending, KernelEntry,
//!     L1Address, Machine, RunOptions, Site,
//! };
//! use tilewright_tile::DataFormat;
//!
//! let ring = CbConfig {
//!     id: CbId(0),
//!     base: L1Address(0x2_0000),
//!     page_bytes: 2048,
//!     pages: 2,
//!     format: DataFormat::Bfloat16,
//! };
//! let reader: KernelEntry = Arc::new(|context| {
//!     for _ in 0..3 {
//!         context.reserve_back(Site::here(), CbId(0), 1);
//!         context.push_back(Site::here(), CbId(0), 1);
//!     }
//! });
//! let unpack: KernelEntry = Arc::new(|context| context.wait_front(Site::here(), CbId(0), 3));
//! let launch = CoreLaunch {
//!     core: CoreCoord::new(0, 0),
//!     buffers: vec![ring],
//!     semaphores: Vec::new(),
//!     settings: ComputeSettings::default(),
//!     kernels: [Some(reader), Some(unpack), None, None, None],
//! };
//! let mut machine = Machine::new(Architecture::wormhole_n150());
//! let outcome = machine.run(&[launch], RunOptions::default(), &mut [])?;
//! assert_eq!(outcome.ending, Ending::Stuck);
//! # Ok::<(), std::io::Error>(())
//! ```

mod architecture;
mod audience;
mod circular_buffer;
mod compute;
mod config;
mod context;
mod core;
mod data_movement;
mod digest;
mod dst;
mod edit;
mod event;
mod exchange;
mod fiber;
mod foreign;
mod grid;
mod lock;
mod machine;
mod meeting_point;
mod memory;
mod noc;
mod packer;
mod pending;
mod processor;
mod refusals;
mod rings;
mod rng;
mod run;
mod said;
mod schedule;
mod scheduler;
mod site;
mod source;
mod stop;
mod tensix;
mod timing;
mod transfer;
mod units;
mod vector;
mod vector_code;
mod watch;

pub use architecture::{Architecture, UnknownDevice};
pub use circular_buffer::{CbConfig, CbLedger, CircularBuffer, RingPointer};
pub use config::{
    ComputeSettings, MathOperation, PackFormats, PackMode, UnpackFormats, UnpackOperation,
};
pub use context::Context;
pub use core::Core;
pub use data_movement::Channel;
pub use digest::Digest;
pub use dst::{Dst, DstSections, DstSync, DstTile, DstUse};
pub use edit::{Change, Edit};
pub use event::{Event, EventKind, EventOrder, Observer, Operand, Setting, TransferId, Zeros};
pub use fiber::{CaughtPanic, KernelEntry, STACK_OVERFLOW, prepare_stacks, take_locks_once};
#[cfg(target_os = "linux")]
pub use fiber::{SignalHandler, Signals};
pub use grid::{CoreCoord, CoreRange};
pub use machine::Machine;
pub use memory::{Dram, DramView, GRANULE_BYTES, Granule, L1, Shadow, Snapshot};
pub use noc::{NocAddress, NocCounters, NocId, NocMode};
pub use processor::{
    Activity, Barrier, Processor, ProcessorId, ProcessorState, SemaphoreTest, SourceId, Waiting,
};
pub use run::{CoreLaunch, CoreState, Ending, Outcome, RunOptions};
pub use said::{Omitted, Said};
pub use site::Site;
pub use source::SourceBanks;
pub use stop::{Called, Polled, Stop, StopReason, Unset};
pub use tensix::{CbTile, reduce_data_source, sources_of};
pub use timing::{Evidence, Figure, Timing};
pub use transfer::Target;
pub use units::{CbId, Cycle, DramAddress, L1Address};
pub use vector::VectorOperation;
pub use watch::{Turn, Watch};
