//! `tilewright report`: runs an operation and writes a page about it.

use tilewright_report::html::{self, Page};
use tilewright_report::record::{Drawn, DrawnProgram, Failure};
use tilewright_report::timeline::{Limits, Recorder};
use tilewright_report::{json, terminal};

use super::job::Job;
use super::names;
use super::run::{Ask, Performed, perform, status};
use crate::args::{Report, Run};
use crate::output::{self, Output, Status};

/// Runs an operation and writes the page.
pub fn job(asked: &Report) -> Result<Job<'_>, Failure> {
    names::check_writable(asked.output.as_deref())?;
    let file = |name: &str| names::drawn(asked.output.as_deref(), name, "html");
    Ok(Job {
        runs: 1,
        files: Box::new(move |ask| vec![file(&ask.own_name())]),
        work: Box::new(|ask, output| report(asked, ask, output)),
        show: Box::new(|run, output| show(&Drawn::nothing(run), output, &asked.run)),
    })
}

fn report(asked: &Report, ask: &Ask<'_>, output: &Output) -> Result<Status, Failure> {
    let mut recorder = Recorder::new(Limits::PAGE);
    let Performed { name, run, heat, device } = perform(ask, output, &mut recorder)?;
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
    Ok(show(&Drawn { verdict: run.verdict, files, programs, run }, output, &asked.run))
}

pub(super) fn show(drawn: &Drawn, output: &Output, asked: &Run) -> Status {
    let text = |paint| terminal::drawn(drawn, paint);
    output.answer(|| json::text(drawn), text, status(drawn.verdict, asked))
}
