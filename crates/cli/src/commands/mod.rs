//! The subcommands, one file each.

pub mod completions;
pub mod corpus;
pub mod doctor;
pub mod explain;
mod few_cores;
pub mod list;
#[cfg(target_os = "linux")]
mod manifest;
#[cfg(not(target_os = "linux"))]
#[path = "manifest_elsewhere.rs"]
mod manifest;
mod names;
pub mod replay;
pub mod report;
pub mod repro;
pub mod run;
pub mod schedule;
pub mod trace;
pub mod vectors;
