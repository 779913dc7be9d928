//! The operation `operation_name`, for tensors on a device.

#![deny(missing_docs)]

pub mod descriptors;
pub mod operation;
pub mod program;
pub mod queue;

pub use operation::operation_name;
