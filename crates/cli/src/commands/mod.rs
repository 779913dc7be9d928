//! The subcommands, one file each.

pub mod list;
pub mod run;
pub mod vectors;
