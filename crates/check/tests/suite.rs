//! The checkers, as one test binary.

mod ending;
mod ending_foreign;
mod sharded;
