//! Kernels in C++, as tt-metal's users write them: compiled by the host's compiler against our
//! headers, loaded, and run on the same fibers as Rust kernels.
//!
//! The only place that loads foreign code. Linux only: L1 must lie where 32-bit pointers reach.

#[cfg(test)]
mod abi;
mod access;
mod address;
mod build_folder;
mod cache;
mod codes;
mod compile;
mod compiler;
mod dependencies;
mod diagnostics;
mod dialect;
mod digest;
mod elf;
mod entry;
mod error;
mod executable;
mod frame;
mod headers;
mod host_flags;
mod kept_objects;
mod lines;
mod mailbox;
mod object;
mod precompiled;
mod printing;
mod program;
mod recent;
mod roots;
mod signals;
mod stack;
mod system_calls;
mod table;
mod text;
mod traces;
mod tree;
mod unit;
mod vector;
pub mod worker;
mod workshop;

pub use cache::{CACHE_BYTES_MAX, Cache, CacheSize, remove_scratch};
pub use compiler::{Adapt, Compiler};
pub use diagnostics::FOREIGN_ASSEMBLER;
pub use error::{CppError, Diagnostic, DiagnosticKind};
pub use executable::{Executable, ExecutableParts, Prebuilt, Runtime};
pub use headers::{HEADERS, HeaderSet};
pub use object::{Code, load_runtime, take_locks_once};
pub use program::{Compiled, CppKernel, CppRole};
pub use unit::{CppSource, Unit, UnitParts};
pub use workshop::{CompileOptions, Progress, Workshop};

pub(crate) use entry::{argument_places, move_l1};
