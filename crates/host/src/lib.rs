//! C++ host programs, run unmodified.
//!
//! A host program is compiled by the host's compiler against headers with tt-metal's paths and
//! names (`include`). It runs in a process of its own and asks this one, over a socket, for memory
//! and launches: what it builds arrives as program descriptions, so that nothing below knows who
//! made them. Every launch is simulated and checked in a worker, which the program cannot reach.

#![cfg(target_os = "linux")]

mod buffers;
mod ended;
#[cfg(test)]
mod enums;
mod exec;
mod grade;
mod install;
mod launch;
mod message;
mod names;
mod session;

pub use exec::{Exec, HostOutcome, HostProgram, Streams, exec, print_flags};
pub use grade::grade;
pub use install::install;

/// Every file below `include`: its path there and its text.
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));
