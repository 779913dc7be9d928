//! `tilewright run` and `tilewright check`: one record of all schedules.

use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_report::{json, terminal};
use tilewright_run::Request;

use crate::args::{Explore, Run};
use crate::output::{self, Output, Status};

/// How much of an answer is shown on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// Findings, outputs with their errors, figures.
    Run,
    /// Findings and the verdict.
    Check,
}

/// Runs an operation or a manifest under one schedule or several and shows what came of it.
pub fn run(asked: &Explore, face: Face, output: &Output) -> Result<Status, Failure> {
    let (is_repeated_on_few_cores, seeds) = (face == Face::Check, asked.seeds);
    for save in &asked.save {
        super::names::check_writable(Some(&save.file))?;
    }
    let keep = asked.save.iter().map(|save| save.keep.clone()).collect();
    let request = Request { seeds, is_repeated_on_few_cores, keep, ..asked.run.request()? };
    let outcome = tilewright_run::run(&request, &output.front(), None)?;
    for (save, kept) in asked.save.iter().zip(&outcome.kept) {
        output::save(&save.file, &kept.tensor)?;
    }
    let run = &outcome.run;
    let text = |paint| match face {
        Face::Run => terminal::run(run, paint),
        Face::Check => terminal::check(run, paint),
    };
    Ok(output.answer(|| json::text(run), text, status(run, &asked.run)))
}

/// The exit code of a run.
pub fn status(run: &record::Run, asked: &Run) -> Status {
    status_of(run, asked.require_judged)
}

/// The exit code of a run; 1 for one that is unjudged, if it must be judged.
pub fn status_of(run: &record::Run, must_be_judged: bool) -> Status {
    match run.verdict {
        RunVerdict::Unjudged if must_be_judged => Status::Found,
        RunVerdict::Unjudged => Status::Clean,
        RunVerdict::Pass | RunVerdict::Paused => Status::Clean,
        RunVerdict::Fail | RunVerdict::Hang => Status::Found,
        RunVerdict::Error => Status::CouldNotRun,
    }
}
