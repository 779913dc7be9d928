//! `tilewright stages`: how far an operation is.

use std::time::Duration;

use tilewright_develop::Asked;
use tilewright_report::record::{Failure, StageStatus};
use tilewright_report::{json, stages as pages, terminal};

use super::names;
use crate::args::Stages;
use crate::output::{self, Output, Status};

/// Runs the stages of an operation and shows how far it is.
pub fn stages(asked: &Stages, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.report.as_deref())?;
    let record = match asked.show {
        true => tilewright_develop::last(&asked.directory)?,
        false => tilewright_develop::run(
            &Asked {
                directory: asked.directory.clone(),
                through: asked.through,
                python: asked.python.clone(),
                timeout: (asked.timeout > 0).then(|| Duration::from_secs(asked.timeout)),
            },
            &output.progress(),
        )?,
    };
    if let Some(path) = &asked.report {
        let is_html = path.extension().is_some_and(|end| end == "html");
        let text = if is_html { pages::html(&record) } else { pages::markdown(&record) };
        output::write(path, if is_html { "html" } else { "markdown" }, text.as_bytes())?;
    }
    let has_failed = record.stages.iter().any(|stage| stage.status == StageStatus::Fail);
    let status = if has_failed { Status::Found } else { Status::Clean };
    Ok(output.answer(|| json::text(&record), |paint| terminal::stages(&record, paint), status))
}
