//! The command line tool from outside, as one test binary.

mod book;
mod captures;
mod ci;
mod common;
mod host;
mod isolation;
mod json;
mod manifests;
mod readme;
mod streams;
mod transcripts;
mod watch;
