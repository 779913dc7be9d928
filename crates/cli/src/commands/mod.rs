//! The subcommands, one file each.

pub mod completions;
pub mod doctor;
pub mod explain;
pub mod list;
pub mod repro;
pub mod run;
pub mod vectors;
