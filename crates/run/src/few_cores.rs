//! A second run on so few cores that every core repeats its loops. With a tile a core
//! no ring goes round, and a call that is missing at a loop's end is never missed.

use std::sync::Arc;

use crate::ask::Ask;
use crate::merge::merged;
use crate::progress::{FrontEnd, Progress};
use crate::record::{self, RunVerdict};
use crate::request::Request;
use crate::schedule::ScheduleRunner;

/// Runs the program again where that can show more, and puts what it shows beside the first run's.
/// A program that cannot be made for so few cores is not run again: rings may grow with the work.
pub(crate) fn also(ask: &Ask<'_>, run: &mut record::Run, front: &Arc<dyn FrontEnd>) {
    let Some(cores) = ask.few_cores().filter(|_| is_worth(run.verdict)) else { return };
    let asked = Request {
        cores: Some(cores),
        keep: Vec::new(),
        keeps_outputs: false,
        keeps_changed: false,
        ..ask.asked.clone()
    };
    let Ok(few) = Ask::new(&asked, &Progress::new(front)) else { return };
    if let Ok(one) = ScheduleRunner::new(&few, front).first(None) {
        join(run, merged(&few, vec![one.schedule]), cores);
    }
}

/// Whether a second run may show what the first has not. One that stopped shows where it is stuck.
fn is_worth(verdict: RunVerdict) -> bool {
    match verdict {
        RunVerdict::Pass | RunVerdict::Unjudged | RunVerdict::Fail => true,
        RunVerdict::Hang | RunVerdict::Error | RunVerdict::Paused => false,
    }
}

fn join(run: &mut record::Run, few: record::Run, cores: u32) {
    run.also_cores = Some(cores);
    run.verdict = RunVerdict::worst([run.verdict, few.verdict]);
    run.completed &= few.completed;
    let on = if cores == 1 { "one core".to_owned() } else { format!("{cores} cores") };
    let known = record::identities(&run.findings);
    let identities = record::identities(&few.findings);
    for (mut finding, identity) in few.findings.into_iter().zip(identities) {
        match known.iter().position(|known| *known == identity) {
            Some(at) if run.findings[at].marks.len() < finding.marks.len() => {
                finding.facts.push(format!("shown as on {on}; it is there on all cores, too"));
                run.findings[at] = finding;
            }
            Some(_) => {}
            None => {
                finding.facts.push(format!("only the run on {on} shows it: loops repeat there"));
                run.findings.push(finding);
            }
        }
    }
}
