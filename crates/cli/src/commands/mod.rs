//! The subcommands, one file each.

#[cfg(target_os = "linux")]
pub mod cache;
#[cfg(not(target_os = "linux"))]
#[path = "cache_elsewhere.rs"]
pub mod cache;
pub mod completions;
pub mod corpus;
pub mod doctor;
pub mod explain;
mod few_cores;
pub mod job;
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
#[cfg(target_os = "linux")]
mod supervised;
#[cfg(not(target_os = "linux"))]
#[path = "supervised_elsewhere.rs"]
mod supervised;
pub mod trace;
pub mod vectors;
mod words;
