//! `tilewright trace`: runs an operation and writes its time for a trace viewer.

use tilewright_report::drawing::{Drawing, lines, trace as perfetto};
use tilewright_report::record::Failure;
use tilewright_report::timeline::Limits;

use super::drawn::{self, File};
use super::names;
use crate::args::Trace;
use crate::output::{Output, Status};

/// Runs an operation and writes the trace.
pub fn trace(asked: &Trace, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.output.as_deref())?;
    names::check_writable(asked.jsonl.as_deref())?;
    let file = File { path: asked.output.as_deref(), ending: "pftrace", format: "perfetto" };
    match asked.jsonl.as_deref() {
        None => {
            let drawing = Drawing::new(Limits::TRACE, &[perfetto]);
            drawn::draw(&asked.run, drawing, &[file], output)
        }
        Some(path) => {
            let events = File { path: Some(path), ending: "jsonl", format: "jsonl" };
            let drawing = Drawing::new(Limits::TRACE, &[perfetto, lines]);
            drawn::draw(&asked.run, drawing, &[file, events], output)
        }
    }
}
