//! Operations: each is validation, a program factory, kernels, and a reference with its bound.
//!
//! Uses the device through `metal` alone.
//!
//! LayerNorm on a simulated n150, judged element by element:
//!
//! ```
//! use tilewright_metal::{Device, RunOptions};
//! use tilewright_ops::Request;
//! use tilewright_tile::DataFormat::Bfloat16;
//!
//! let operation = tilewright_ops::find("layernorm-fw").expect("an operation");
//! let mut request = Request::new("40x70".parse()?, Bfloat16);
//! request.settings = operation.settings(Bfloat16);
//! let mut device = Device::n150();
//! let prepared = operation.prepare(&mut device, &request)?;
//! for program in &prepared.programs {
//!     program.run(&mut device, RunOptions::default(), &mut [])?;
//! }
//! for (name, judgement) in prepared.judge(&mut device)? {
//!     assert!(judgement.in_bound, "{name}: error/bound is {}", judgement.worst.ratio);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod copy;
mod dst;
mod edit_distance;
pub mod eltwise;
pub mod family;
pub mod formulas;
pub mod heat;
pub mod identity;
pub mod judge;
mod l1_tiles;
pub mod layernorm;
pub mod manifest;
pub mod matmul;
mod movement;
mod operation;
pub mod padding;
mod parallel;
pub mod reduce;
mod reference;
pub mod softmax;
mod steps;
mod tensors;

/// Bytes of host memory for each value of a tensor: its copies, the device's, and the reference
/// with its bounds.
pub const HOST_BYTES_PER_VALUE: u64 = 48;

pub use edit_distance::nearest;
pub use operation::{Choice, Expected, OpError, Operation, Prepared, Request, find, operations};
pub use reference::{Exact, Given, Roles, Wanted};
