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
pub mod format;
pub mod golden;
pub mod manual;
pub mod memory;
mod per_core;
mod rings;
mod session;
pub mod sync;
mod tool;

pub use allow::Report;
pub use session::Session;
pub use tool::{Tool, Tools};

pub use finding::{Finding, FindingId, Mark, Verdict};
