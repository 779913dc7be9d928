//! Operations: each is validation, a program factory, kernels, and a reference with its bound.
//!
//! Uses the device through `metal` alone.

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
mod parallel;
pub mod reduce;
mod reference;
pub mod softmax;
mod steps;
mod tensors;

pub use edit_distance::nearest;
pub use operation::{Choice, Expected, OpError, Operation, Prepared, Request, find, operations};
pub use reference::{Exact, Given, Roles, Wanted};
