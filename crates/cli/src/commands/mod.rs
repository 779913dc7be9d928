//! The subcommands, one file each.

pub mod completions;
pub mod corpus;
pub mod doctor;
pub mod explain;
pub mod list;
pub mod replay;
pub mod report;
pub mod repro;
pub mod run;
pub mod schedule;
pub mod trace;
pub mod vectors;
