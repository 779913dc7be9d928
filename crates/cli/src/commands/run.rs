//! `tilewright run`: one record of all schedules.

use tilewright_report::record::{self, Failure, RunVerdict};
use tilewright_report::{json, terminal};
use tilewright_run::Request;

use crate::args::{Explore, Run};
use crate::output::{self, Output, Status};

/// Runs an operation or a manifest under one schedule or several and shows what came of it.
pub fn run(asked: &Explore, output: &Output) -> Result<Status, Failure> {
    let run = outcome(asked, asked.run.request()?, output)?;
    Ok(output.answer(
        || json::text(&run),
        |paint| terminal::run(&run, asked.print, paint),
        status(&run, &asked.run),
    ))
}

/// What comes of a request, with all that was asked to be saved in its files.
pub fn outcome(asked: &Explore, request: Request, output: &Output) -> Result<record::Run, Failure> {
    for save in &asked.save {
        super::names::check_writable(Some(&save.file))?;
    }
    let keep = asked.save.iter().map(|save| save.keep.clone()).collect();
    let request = Request { seeds: asked.seeds, keep, ..request };
    let outcome = tilewright_run::run(&request, &output.front(), None)?;
    for (save, kept) in asked.save.iter().zip(&outcome.kept) {
        output::save(&save.file, &kept.tensor)?;
    }
    Ok(outcome.run)
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
