//! What reports say of runs, as one test binary.

mod book;
mod common;
mod findings;
mod html;
#[path = "../../check/tests/patient/mod.rs"]
mod patient;
mod perfetto;
mod repro;
mod runs;
mod schema;
mod tutorial;
