//! What a process that runs C++ kernels for another one leaves for it to read.
//!
//! Most faults of kernels end the run and not the process (`signals`). What is left, such as a
//! heap that a kernel has destroyed or a loop in a library, is told by whoever supervises.

pub use super::signals::{WHERE, prepare};
pub use super::traces::{Cause, Progress, Running, Trace, Traces};
