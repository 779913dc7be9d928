//! `tilewright replay`: a run up to a cycle, and the state of every processor then.

use tilewright_metal::Cycle;
use tilewright_report::record::{Failure, Replay as Record};
use tilewright_report::{json, terminal};
use tilewright_run::Request;

use super::run::status;
use crate::args::Replay;
use crate::output::{Output, Status};

/// Runs up to the cycle asked for and shows what was found until then.
pub fn replay(asked: &Replay, output: &Output) -> Result<Status, Failure> {
    let stop_at = asked.stop_at.map(Cycle);
    let request = Request { stop_at, ..asked.run.request()? };
    let outcome = tilewright_run::run(&request, &output.front(), None)?;
    let replay = Record { run: outcome.run, pause: outcome.pause };
    let text = |paint| terminal::replay(&replay, asked.print, paint);
    Ok(output.answer(|| json::text(&replay), text, status(&replay.run, &asked.run)))
}
