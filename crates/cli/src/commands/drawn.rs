//! Runs that are drawn: the files, and the answer that names them.

use std::path::Path;

use tilewright_report::drawing::Drawing;
use tilewright_report::record::{Drawn, Failure};
use tilewright_report::{json, terminal};

use super::names;
use super::run::status;
use crate::args::Run;
use crate::output::{self, Output, Status};

/// A file that a drawing is written to.
pub(super) struct File<'a> {
    /// Where; with the run's name and `ending` in this folder unless given.
    pub(super) path: Option<&'a Path>,
    /// The ending of its name.
    pub(super) ending: &'static str,
    /// What answers call its format.
    pub(super) format: &'static str,
}

/// Runs what is asked for, writes what was drawn of it to the files, and shows what came of it.
pub(super) fn draw(
    asked: &Run,
    mut drawing: Drawing<'_>,
    files: &[File<'_>],
    output: &Output,
) -> Result<Status, Failure> {
    let outcome = tilewright_run::run(&asked.request()?, &output.front(), Some(&mut drawing))?;
    let (programs, drawn) = Drawing::decode(&outcome.testimony);
    let mut written = Vec::new();
    for (file, bytes) in files.iter().zip(drawn) {
        let path = names::drawn(file.path, &outcome.name, file.ending);
        written.push(output::write(&path, file.format, bytes)?);
    }
    let run = outcome.run;
    let drawn = Drawn { verdict: run.verdict, files: written, programs, run };
    let text = |paint| terminal::drawn(&drawn, paint);
    Ok(output.answer(|| json::text(&drawn), text, status(&drawn.run, asked)))
}
