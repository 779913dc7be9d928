//! Judgement: what is wrong with a run, how it ended, and whether the machine agrees with the
//! golden data.
//!
//! Prints nothing, stops nothing, changes nothing. How a finding looks is `report`'s business.

mod allow;
mod consequences;
pub mod dst;
pub mod ending;
pub mod ending_manual;
pub mod finding;
mod flow;
pub mod format;
pub mod golden;
pub mod init;
pub mod manual;
pub mod memory;
mod per_core;
pub mod race;
mod rings;
mod session;
pub mod sync;
mod tool;
mod undeclared;
pub mod value;

pub use allow::Report;
pub use session::Session;
pub use tool::{Tool, Tools};
pub use undeclared::undeclared;

pub use finding::{Finding, FindingId, Mark, Verdict};
