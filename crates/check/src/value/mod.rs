//! The tool value: what must be in a result and is not, and results that are too far off.

mod beyond_bound;
mod lost_contribution;
mod output_padding;
mod taken;

pub use beyond_bound::{Beyond, BeyondBound, place};
pub use lost_contribution::LostContribution;
pub(crate) use lost_contribution::Value;
pub use output_padding::{OutputPadding, Padded};
