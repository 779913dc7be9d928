//! Judgement: what is wrong with a run, how it ended, and whether the machine agrees with the
//! golden data.
//!
//! Prints nothing, stops nothing, changes nothing. How a finding looks is `report`'s business.

mod allow;
mod class;
mod consequences;
pub mod dst;
pub mod ending;
pub mod ending_manual;
pub mod finding;
mod flow;
pub mod format;
mod free_l1;
pub mod golden;
pub mod init;
#[cfg(target_os = "linux")]
mod lost_worker;
pub mod manual;
pub mod memory;
pub mod pause;
mod per_core;
pub mod race;
mod rings;
mod schedules;
mod session;
pub mod sync;
mod tool;
mod undeclared;
pub mod value;
mod written;

pub use allow::Report;
#[cfg(target_os = "linux")]
pub use lost_worker::lost_worker;
pub use schedules::{Scheduled, Schedules};
pub use session::{Session, Sighting};
pub use tool::{Tool, Tools};
pub use undeclared::undeclared;

pub use finding::{Finding, FindingId, Mark, Verdict};
