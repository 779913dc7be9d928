//! `tilewright replay`: a run up to a cycle, and where everybody is then.

use tilewright_metal::{Cycle, RunOptions};
use tilewright_report::record::{self, Failure};
use tilewright_report::{json, terminal};

use super::job::Job;
use super::run::{Ask, Told, status};
use super::schedule;
use crate::args::{Replay, Run};
use crate::output::{Output, Status};
use crate::watchdog::Watchdog;

/// Runs up to the cycle asked for and shows what was found until then.
pub fn job(asked: &Replay) -> Job<'_> {
    Job {
        runs: 1,
        files: Box::new(|_| Vec::new()),
        work: Box::new(|ask, output| replay(asked, ask, output)),
        show: Box::new(|run, output| {
            show(&record::Replay { run, pause: None }, output, &asked.run)
        }),
    }
}

fn replay(asked: &Replay, ask: &Ask<'_>, output: &Output) -> Result<Status, Failure> {
    let watchdog = Watchdog::start(ask, *output);
    let options = RunOptions { stop_at: asked.stop_at.map(Cycle), ..ask.options };
    let one = schedule::one(ask, options, &watchdog, None)?;
    drop(watchdog);
    let seed = ask.options.seed;
    let finding = |sighting: &tilewright_check::Sighting| {
        let mut finding = record::Finding::from(&sighting.finding);
        finding.replay =
            Some(format!("{} --stop-at {}", ask.replay("replay", seed), sighting.cycle));
        finding
    };
    let findings = one.sightings.iter().map(finding).collect();
    let (verdict, outputs, uncompared) = (one.verdict, one.outputs.clone(), one.uncompared.clone());
    let run = ask.record(&one, Told { verdict, findings, outputs, uncompared, schedules: 1 });
    let pause = one.pause.as_ref().map(record::Pause::from);
    Ok(show(&record::Replay { run, pause }, output, &asked.run))
}

fn show(replay: &record::Replay, output: &Output, asked: &Run) -> Status {
    let text = |paint| terminal::replay(replay, paint);
    output.answer(|| json::text(replay), text, status(replay.run.verdict, asked))
}
