//! `tilewright new`: an operation from a template.

use tilewright_develop::Scaffold;
use tilewright_report::record::Failure;
use tilewright_report::{json, terminal};

use crate::args::New;
use crate::output::{Output, Status};

/// Writes the files of a new operation.
pub fn new(asked: &New, output: &Output) -> Result<Status, Failure> {
    let scaffold = Scaffold {
        name: asked.name.clone(),
        template: asked.template,
        language: asked.language,
        parent: asked.output.clone(),
    };
    let new = scaffold.write()?;
    Ok(output.answer(|| json::text(&new), |paint| terminal::new(&new, paint), Status::Clean))
}
