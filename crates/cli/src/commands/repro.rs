//! `tilewright repro`: the published failure of LayerNorm backward beside our kernel.

use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};
use tilewright_run::repro::reproduce;

use crate::args::Repro;
use crate::output::{Output, Status};

/// Runs the reported tests and shows what was published, what the faulty kernel gives here, and
/// what ours gives.
pub fn repro(asked: &Repro, output: &Output) -> Result<Status, Failure> {
    let threads = Some(asked.threads.count());
    let repro = record::Repro::from(&reproduce(asked.only.as_deref(), threads, &output.front())?);
    let status = if repro.is_in_bound() { Status::Clean } else { Status::Found };
    let text = |paint| terminal::repro(&repro, paint);
    Ok(output.answer(|| json::text(&repro), text, status))
}
