//! The command line tool from outside, as one test binary.

mod book;
mod captures;
mod common;
mod isolation;
mod json;
mod manifests;
mod readme;
mod streams;
mod transcripts;
