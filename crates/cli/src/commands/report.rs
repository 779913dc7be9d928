//! `tilewright report`: runs an operation and writes a page about it.

use tilewright_report::html::{self, Page};
use tilewright_report::record::{Drawn, DrawnProgram, Failure};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_report::{json, terminal};

use super::names;
use super::run::{Performed, perform, status};
use crate::args::Report;
use crate::output::{self, Output, Status};

/// Runs an operation and writes the page.
pub fn report(asked: &Report, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.output.as_deref())?;
    let mut recorder = Recorder::new(Limits::PAGE);
    let Performed { name, run, heat, device } = perform(&asked.run, output, &mut recorder)?;
    let timelines = recorder.timelines();
    let page = html::page(&Page {
        run: &run,
        timelines,
        heat: &heat,
        architecture: device.architecture(),
        l1_lowest: device.l1_lowest(),
    });
    let path = names::drawn(asked.output.as_deref(), &name, "html");
    let files = vec![output::write(&path, "html", page.as_bytes())?];
    let programs = timelines.iter().map(DrawnProgram::from).collect();
    let drawn = Drawn { verdict: run.verdict, files, programs, run };
    let text = |paint| terminal::drawn(&drawn, paint);
    Ok(output.answer(|| json::text(&drawn), text, status(drawn.verdict, &asked.run)))
}
