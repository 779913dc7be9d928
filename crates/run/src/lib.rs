//! From a request to an outcome: prepare, simulate under tools and schedules, judge, supervise.
//!
//! Everything that a front end needs is in [`prelude`]. Prints and draws nothing. Foreign kernels
//! run in a worker process: whatever they do to it, there is one outcome, within a stated time.
//!
//! ```
//! use tilewright_run::prelude::*;
//!
//! let outcome = Request::new("softmax").shape("64x128".parse()?).seeds(2).run()?;
//! assert_eq!(outcome.verdict(), RunVerdict::Pass);
//! assert!(outcome.output("y").is_some_and(|y| y.in_bound));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allocator;
mod ask;
pub mod baseline;
#[cfg(target_os = "linux")]
mod capture_file;
#[cfg(target_os = "linux")]
mod channel;
mod comparison;
#[cfg(target_os = "linux")]
mod compilation;
#[cfg(target_os = "linux")]
pub mod corpus;
mod device;
pub mod doctor;
mod fault;
mod few_cores;
#[cfg(target_os = "linux")]
mod foreign;
#[cfg(not(target_os = "linux"))]
#[path = "foreign_elsewhere.rs"]
mod foreign;
pub mod grade;
#[cfg(target_os = "linux")]
mod guard;
pub mod heat;
#[cfg(target_os = "linux")]
mod inherited_locks;
mod injection;
#[cfg(target_os = "linux")]
mod isolated;
mod judgement;
mod keep;
mod launches;
#[cfg(target_os = "linux")]
mod manifest;
pub mod memory;
mod merge;
mod names;
mod operation;
mod outcome;
mod padding;
mod pipeline;
#[cfg(target_os = "linux")]
mod printed_streams;
#[cfg(target_os = "linux")]
mod process;
mod progress;
pub mod record;
mod references;
mod remedy;
mod replay_command;
pub mod repro;
mod request;
#[cfg(target_os = "linux")]
pub mod sandbox;
mod schedule;
mod share;
mod source;
mod stages;
mod stopwatch;
pub mod subjects;
#[cfg(target_os = "linux")]
mod supervisor;
mod suppressions;
pub mod sweep;
mod taken;
#[cfg(target_os = "linux")]
mod turns;
#[cfg(not(target_os = "linux"))]
#[path = "turns_elsewhere.rs"]
mod turns;
mod watchdog;
mod watched;
mod words;
#[cfg(target_os = "linux")]
mod worker;
#[cfg(target_os = "linux")]
mod worker_clock;
#[cfg(target_os = "linux")]
mod worker_link;
#[cfg(not(target_os = "linux"))]
#[path = "worker_link_elsewhere.rs"]
mod worker_link;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use allocator::{Allocator, give_back_large_buffers, on_exhaustion};
#[cfg(target_os = "linux")]
pub use capture_file::capture;
pub use comparison::{Testimony, compare, diff};
#[cfg(target_os = "linux")]
pub use compilation::{compile, compiled_sources, not_compiled};
pub use device::DEFAULT_DEVICE;
pub use fault::{attempt, catch_faults};
#[cfg(not(target_os = "linux"))]
pub use foreign::capture;
pub use injection::{Injection, Target};
pub use judgement::{Outputs, beyond};
pub use keep::{Keep, Kept};
pub use launches::{HostProgramEnding, Launches};
pub use outcome::{Outcome, Seen, Witness};
pub use pipeline::{run, warm_up};
pub use progress::{FrontEnd, Progress, Silent};
pub use references::{Catalogue, manifest_page};
pub use remedy::try_remedies;
pub use request::{Described, Isolation, LaunchCommand, OwnProgram, Reference, Request, Subject};
pub use watched::Watched;

/// Foreign kernels in a process of their own, for front ends that prepare programs themselves.
#[cfg(target_os = "linux")]
pub mod supervision {
    pub use crate::guard::{Guard, adapt};
    pub use crate::process::keep_on_exec;
    pub use crate::supervisor::{Limits, WorkerEnding, supervise};
}

/// What a program that runs and checks kernels needs.
pub mod prelude {
    pub use tilewright_metal::api::{Compute, DataMovement};
    pub use tilewright_metal::{
        Architecture, CbSpec, CompileTimeArgs, ComputeConfig, ComputeSettings, CoreCoord,
        CoreRange, CoreSet, CoreWork, DataMovementPlace, Device, DeviceTensor, KernelConfig,
        KernelDescription, KernelSource, Layout, MemoryConfig, Prepared, Program,
        ProgramDescription, Shape, Storage, Tensor, WorkSplit,
    };
    pub use tilewright_tile::{DataFormat, DstWidth, Fidelity};

    pub use crate::record::{Failure, RunVerdict};
    pub use crate::{Described, Outcome, Request};
}

/// Data behind a lock, also after a thread that held it panicked.
fn lock<Data>(mutex: &Mutex<Data>) -> MutexGuard<'_, Data> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
