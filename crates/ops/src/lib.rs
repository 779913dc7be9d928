//! Operations: each is validation, a program factory, kernels, and a reference with its bound.
//!
//! Uses the device through `metal` alone.

pub mod family;
pub mod identity;
pub mod judge;
pub mod layernorm;
mod operation;
mod steps;

pub use operation::{Choice, Expected, OpError, Operation, Prepared, Request, find, operations};
