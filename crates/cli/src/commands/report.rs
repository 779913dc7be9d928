//! `tilewright report`: runs an operation and writes a page about it.

use tilewright_report::drawing::{Drawing, page};
use tilewright_report::record::Failure;
use tilewright_report::timeline::Limits;

use super::drawn::{self, File};
use super::names;
use crate::args::Report;
use crate::output::{Output, Status};

/// Runs an operation and writes the page.
pub fn report(asked: &Report, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.output.as_deref())?;
    let drawing = Drawing::new(Limits::PAGE, &[page]);
    let files = [File { path: asked.output.as_deref(), ending: "html", format: "html" }];
    drawn::draw(&asked.run, drawing, &files, output)
}
