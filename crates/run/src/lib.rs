//! From a request to an outcome: the part that runs other people's code.
//!
//! Kernels run in a worker process. Whatever they do to it, there is one outcome, within a stated
//! time: the worker's record, or what its supervisor knows of its end. Prints and draws nothing.

mod allocator;
#[cfg(target_os = "linux")]
mod capture;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod clock;
#[cfg(target_os = "linux")]
mod guard;
pub mod heat;
pub mod memory;
pub mod padding;
#[cfg(target_os = "linux")]
mod process;
mod references;
#[cfg(target_os = "linux")]
pub mod sandbox;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod worker;

pub use allocator::{Allocator, on_exhaustion};
#[cfg(target_os = "linux")]
pub use capture::{Captured, Stream};
#[cfg(target_os = "linux")]
pub use guard::{Guard, adapt};
pub use references::{Catalogue, manifest_page};
#[cfg(target_os = "linux")]
pub use supervisor::{Ending, Limits, Outcome, supervise};
#[cfg(target_os = "linux")]
pub use worker::{Link, Running};
