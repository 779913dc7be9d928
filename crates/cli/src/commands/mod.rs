//! The subcommands, one file each.

pub mod completions;
pub mod doctor;
pub mod explain;
pub mod list;
mod manifest;
pub mod repro;
pub mod run;
pub mod vectors;
