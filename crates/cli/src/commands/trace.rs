//! `tilewright trace`: runs an operation and writes its time for a trace viewer.

use tilewright_report::record::{Drawn, DrawnProgram, Failure};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_report::{jsonl, perfetto};

use super::job::Job;
use super::names;
use super::report::show;
use super::run::{Ask, Performed, perform};
use crate::args::Trace;
use crate::output::{self, Output, Status};

/// Runs an operation and writes the trace.
pub fn job(asked: &Trace) -> Result<Job<'_>, Failure> {
    names::check_writable(asked.output.as_deref())?;
    names::check_writable(asked.jsonl.as_deref())?;
    let file = |name: &str| names::drawn(asked.output.as_deref(), name, "pftrace");
    let files = move |ask: &Ask<'_>| {
        std::iter::once(file(&ask.own_name())).chain(asked.jsonl.clone()).collect()
    };
    Ok(Job {
        runs: 1,
        files: Box::new(files),
        work: Box::new(|ask, output| trace(asked, ask, output)),
        show: Box::new(|run, output| show(&Drawn::nothing(run), output, &asked.run)),
    })
}

fn trace(asked: &Trace, ask: &Ask<'_>, output: &Output) -> Result<Status, Failure> {
    let mut recorder = Recorder::new(Limits::TRACE);
    let Performed { name, run, .. } = perform(ask, output, &mut recorder)?;
    let timelines = recorder.timelines();
    let path = names::drawn(asked.output.as_deref(), &name, "pftrace");
    let mut files = vec![output::write(&path, "perfetto", &perfetto(timelines))?];
    if let Some(path) = &asked.jsonl {
        files.push(output::write(path, "jsonl", jsonl::jsonl(&run, timelines).as_bytes())?);
    }
    let programs = timelines.iter().map(DrawnProgram::from).collect();
    Ok(show(&Drawn { verdict: run.verdict, files, programs, run }, output, &asked.run))
}
