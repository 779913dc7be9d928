//! Operations: each is validation, a program factory, kernels, and a reference with its bound.
//!
//! Uses the device through `metal` alone.
//!
//! LayerNorm on a simulated n150, judged element by element:
//!
//! ```
//! use tilewright_metal::{Device, RunOptions};
//! use tilewright_ops::{Request, judge};
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
//! for (name, judgement) in judge::outputs(&prepared, &mut device)? {
//!     assert!(judgement.in_bound, "{name}: error/bound is {}", judgement.worst.ratio);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod copy;
mod dst;
pub mod eltwise;
pub mod formulas;
pub mod identity;
pub mod judge;
mod l1_tiles;
pub mod layernorm;
pub mod matmul;
mod movement;
mod operation;
mod parallel;
pub mod reduce;
mod reference;
pub mod softmax;
mod steps;
mod tensors;
pub mod vector;

pub use operation::{Choice, ForeignKernel, OpError, Operation, Request, find, operations};
