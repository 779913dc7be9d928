//! The subcommands, one file each.

#[cfg(target_os = "linux")]
pub mod cache;
#[cfg(not(target_os = "linux"))]
#[path = "cache_elsewhere.rs"]
pub mod cache;
pub mod capture;
pub mod check;
pub mod completions;
pub mod corpus;
pub mod diff;
pub mod doctor;
mod drawn;
#[cfg(target_os = "linux")]
pub mod exec;
#[cfg(not(target_os = "linux"))]
#[path = "exec_elsewhere.rs"]
pub mod exec;
pub mod explain;
pub mod grade;
pub mod list;
mod names;
pub mod new;
pub mod replay;
pub mod report;
pub mod repro;
pub mod run;
pub mod stages;
pub mod sweep;
pub mod trace;
pub mod vectors;
pub mod watch;
