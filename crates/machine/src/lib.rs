//! The simulated device: what Tensix cores do, and when.
//!
//! Reads no clock, file or environment. Makes no choice outside `scheduler`. Emits an event for
//! everything that happens and knows nothing of who watches.

mod architecture;
mod barrier;
mod circular_buffer;
mod compute;
mod config;
mod context;
mod core;
mod data_movement;
mod dst;
mod edit;
mod event;
mod fiber;
mod foreign;
mod grid;
mod machine;
mod memory;
mod noc;
mod pending;
mod processor;
mod rng;
mod run;
mod scheduler;
mod site;
mod source;
mod stop;
mod tensix;
mod timing;
mod transfer;
mod units;
mod vector;
mod watch;

pub use architecture::Architecture;
pub use circular_buffer::{CbConfig, CbLedger, CircularBuffer};
pub use config::{
    ComputeSettings, Configuration, MathOperation, PackFormats, PackMode, UnpackFormats,
    UnpackOperation,
};
pub use context::Context;
pub use core::Core;
pub use data_movement::Channel;
pub use dst::{Dst, DstSections, DstSync, DstTile, DstUse};
pub use edit::{Change, Edit};
pub use event::{Digest, Event, EventKind, Observer, Operand, Setting, TransferId};
pub use fiber::{KernelEntry, KernelPanic, STACK_OVERFLOW, prepare_stacks};
pub use grid::{CoreCoord, CoreRange};
pub use machine::Machine;
pub use memory::{Dram, DramView, GRANULE_BYTES, Granule, L1, Shadow, Snapshot};
pub use noc::{NocAddress, NocCounters, NocId, NocMode};
pub use processor::{
    Activity, Barrier, Processor, ProcessorId, ProcessorState, SemaphoreTest, SourceId, Waiting,
};
pub use run::{CoreLaunch, CoreState, Ending, Outcome, RunOptions};
pub use site::Site;
pub use source::SourceBanks;
pub use stop::{Polled, Stop, StopReason, Unset};
pub use tensix::{CbTile, reduce_data_source, sources_of};
pub use timing::{Evidence, Figure, Timing};
pub use transfer::Target;
pub use units::{CbId, Cycle, DramAddress, L1Address};
pub use vector::VectorOperation;
pub use watch::{Turn, Watch};
