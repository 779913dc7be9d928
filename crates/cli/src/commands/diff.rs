//! `tilewright diff`: two programs beside each other.

use tilewright_report::record::Failure;
use tilewright_report::{html, json, terminal};

use super::names;
use crate::args::Diff;
use crate::output::{self, Output, Status};

/// Runs both, and shows what differs.
pub fn diff(asked: &Diff, output: &Output) -> Result<Status, Failure> {
    names::check_writable(asked.html.as_deref())?;
    let requests = [asked.run.request()?, asked.run.request_for(&asked.other)?];
    let diff = tilewright_run::diff(requests.each_ref(), &output.front())?;
    if let Some(path) = &asked.html {
        output::write(path, "html", html::diff_page(&diff).as_bytes())?;
    }
    let status = if diff.is_same { Status::Clean } else { Status::Found };
    Ok(output.answer(|| json::text(&diff), |paint| terminal::diff(&diff, paint), status))
}
