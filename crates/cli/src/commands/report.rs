//! `tilewright report`: runs an operation and writes a page about it.

use std::path::PathBuf;

use tilewright_report::html::{self, Page};
use tilewright_report::record::{Drawn, DrawnProgram, Failure};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_report::{json, terminal};

use super::manifest;
use super::run::{Performed, is_elsewhere, perform, status};
use crate::args::Report;
use crate::output::{self, Output, Status};

/// Runs an operation and writes the page.
pub fn report(asked: &Report, output: &Output) -> Result<Status, Failure> {
    if is_elsewhere(&asked.run) {
        return manifest::supervise();
    }
    let mut recorder = Recorder::new(Limits::PAGE);
    let Performed { file_stem, run, heat, device } = perform(&asked.run, output, &mut recorder)?;
    let timelines = recorder.timelines();
    let page = html::page(&Page {
        run: &run,
        timelines,
        heat: &heat,
        architecture: device.architecture(),
        l1_lowest: device.l1_lowest(),
    });
    let path = asked.output.clone();
    let path = path.unwrap_or_else(|| PathBuf::from(format!("{file_stem}.html")));
    let files = vec![output::write(&path, "html", page.as_bytes())?];
    let programs = timelines.iter().map(DrawnProgram::from).collect();
    let drawn = Drawn { verdict: run.verdict, files, programs, run };
    let text = |paint| terminal::drawn(&drawn, paint);
    Ok(output.answer(|| json::text(&drawn), text, status(drawn.verdict)))
}
