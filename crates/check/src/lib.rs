//! Judgement: what is wrong with a run, how it ended, and whether the machine agrees with the
//! golden data.
//!
//! Prints nothing, stops nothing, changes nothing. How a finding looks is `report`'s business.

pub mod dst;
pub mod ending;
pub mod ending_manual;
pub mod finding;
pub mod golden;
pub mod manual;
pub mod pause;
mod schedules;
mod session;
pub mod sync;
mod tool;

pub use schedules::{Scheduled, Schedules};
pub use session::{Session, Sighting};
pub use tool::{Tool, Tools};

pub use finding::{Finding, FindingId, Mark, Verdict};
