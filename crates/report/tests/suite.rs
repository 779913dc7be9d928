//! What reports say of runs, as one test binary.

mod advised;
mod beyond;
mod book;
mod common;
mod cpp;
mod endings;
mod examples;
mod faults;
mod findings;
mod followed;
mod followed_patients;
mod html;
mod mutations;
mod patient;
mod patients;
mod perfetto;
mod races;
mod repro;
mod runs;
mod schedules;
mod schema;
mod small;
mod tutorial;
mod watched;
mod watched_format;
mod watched_memory;
