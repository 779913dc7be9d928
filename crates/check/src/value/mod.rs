//! The tool value: what must be in a result and is not.

mod lost_contribution;

pub use lost_contribution::LostContribution;
pub(crate) use lost_contribution::Value;
