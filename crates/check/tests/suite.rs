//! The checkers, on small programs and on whole operations, as one test binary.

mod advised;
mod beyond;
mod catalogue;
#[path = "../../machine/tests/common/mod.rs"]
mod common;
mod cpp;
mod ending;
mod ending_foreign;
mod endings;
mod examples;
mod faults;
mod findings;
mod followed;
mod followed_patients;
mod mutations;
mod patient;
mod patients;
mod races;
mod schedules;
mod sharded;
mod small;
mod watched;
mod watched_format;
mod watched_memory;
