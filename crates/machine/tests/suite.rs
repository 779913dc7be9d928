//! The device, put to work by small programs in Rust, as one test binary.

mod circular_buffers;
mod common;
mod copy;
mod determinism;
mod dst;
mod edits;
mod endings;
mod livelock;
mod noc;
mod pause;
