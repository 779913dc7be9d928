//! Judgement: how a run ended, and whether the machine agrees with the golden data.
//!
//! Prints nothing, stops nothing, changes nothing. How a finding looks is `report`'s business.

pub mod ending;
pub mod finding;
pub mod golden;

pub use finding::{Finding, FindingId, Mark, Verdict};
