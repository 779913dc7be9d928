//! The subcommands, one file each.

pub mod list;
pub mod repro;
pub mod run;
pub mod vectors;
