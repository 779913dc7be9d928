//! The command line tool from outside, as one test binary.

mod book;
mod captures;
mod ci;
mod common;
mod host;
mod host_api;
mod host_errors;
mod isolation;
mod json;
mod kept_objects;
mod manifests;
mod readme;
mod saving;
mod streams;
mod transcripts;
mod watch;
