//! `tilewright trace`: runs an operation and writes its time for a trace viewer.

use tilewright_report::record::{Drawn, DrawnProgram, Failure};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_report::{json, jsonl, perfetto, terminal};

use super::names;
use super::run::{Performed, perform, status};
use crate::args::Trace;
use crate::output::{self, Output, Status};

/// Runs an operation and writes the trace.
pub fn trace(asked: &Trace, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.output.as_deref())?;
    names::check_writable(asked.jsonl.as_deref())?;
    let mut recorder = Recorder::new(Limits::TRACE);
    let Performed { name, run, .. } = perform(&asked.run, output, &mut recorder)?;
    let timelines = recorder.timelines();
    let path = names::drawn(asked.output.as_deref(), &name, "pftrace");
    let mut files = vec![output::write(&path, "perfetto", &perfetto(timelines))?];
    if let Some(path) = &asked.jsonl {
        files.push(output::write(path, "jsonl", jsonl::jsonl(&run, timelines).as_bytes())?);
    }
    let programs = timelines.iter().map(DrawnProgram::from).collect();
    let drawn = Drawn { verdict: run.verdict, files, programs, run };
    let text = |paint| terminal::drawn(&drawn, paint);
    Ok(output.answer(|| json::text(&drawn), text, status(drawn.verdict, &asked.run)))
}
