//! A worker process that a C++ kernel crashed, or never lets finish: what is known is what it noted
//! before.

use std::time::Duration;

use tilewright_metal::cpp::worker::Trace;

use crate::FindingId;
use crate::finding::{Finding, Mark};

/// Calls that are shown.
const SHOWN: usize = 3;

/// A worker that did not terminate normally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What happened.
    pub loss: Loss,
    /// Where, if that is known.
    pub at: Option<Trace>,
    /// The last calls of kernels, the latest first.
    pub last: Vec<Trace>,
}

/// What a kernel did to its worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It neither called nor stepped for so long.
    Silent(Duration),
    /// Its run took more of the host's time than it may.
    TimeLimit(Duration),
    /// It ended the process; a clause whose subject is the kernel.
    Ended(String),
}

/// The finding of a worker that did not terminate normally.
pub fn lost_worker(lost: &Lost) -> Finding {
    let who = who(lost);
    let (id, title, role, proof, help) = match &lost.loss {
        Loss::Silent(silence) => (
            FindingId::EndlessLoop,
            format!("{who} does not come back"),
            "it is here",
            format!("neither a call nor a step for {} of the host's time", seconds(*silence)),
            "look at what the kernel does here: what should end it?",
        ),
        Loss::TimeLimit(limit) => (
            FindingId::EndlessLoop,
            format!("{who} does not terminate"),
            "it is here",
            format!("still running after {} of the host's time", seconds(*limit)),
            "let the loop end; give a larger `--timeout` if the program only needs longer",
        ),
        Loss::Ended(what) => (
            FindingId::KernelCrash,
            format!("{who} {what}"),
            "it does so here",
            "the process that runs the kernels ended before its record was complete".to_owned(),
            "leave the host's process alone: a kernel has the kernel API and its memory",
        ),
    };
    let mut marks: Vec<Mark> = Vec::new();
    if let Some(at) = lost.at {
        marks.push(Mark { role: role.to_owned(), site: at.site, processor: at.processor });
    }
    marks.extend(calls(lost));
    let mut facts = vec![format!("proof: {proof}")];
    if lost.last.is_empty() {
        facts.push("no kernel had made a call".to_owned());
    }
    Finding { title, marks, facts, help: Some(help.to_owned()), ..Finding::of(id) }
}

/// Whose kernel it is, as far as that is known.
fn who(lost: &Lost) -> String {
    let known = lost.at.or_else(|| lost.last.first().copied());
    match known.and_then(|trace| trace.processor) {
        Some(id) => format!("the kernel of {} on core {}", id.processor, id.core),
        None => "a C++ kernel".to_owned(),
    }
}

/// The last calls at different lines.
fn calls(lost: &Lost) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    let known = lost.at.map(|at| at.site);
    for trace in lost.last.iter().filter(|trace| Some(trace.site) != known) {
        if marks.len() == SHOWN || marks.iter().any(|mark| mark.site == trace.site) {
            continue;
        }
        let who = trace
            .processor
            .map_or_else(String::new, |id| format!(", {} on core {}", id.processor, id.core));
        let role = if marks.is_empty() { "the last call before" } else { "earlier" };
        let (site, processor) = (trace.site, trace.processor);
        marks.push(Mark { role: format!("{role}{who}"), site, processor });
    }
    marks
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f32())
}

#[cfg(test)]
mod tests {
    use tilewright_machine::{CoreCoord, Processor, ProcessorId, Site};

    use super::*;

    fn trace(line: u32) -> Trace {
        let processor = ProcessorId { core: CoreCoord::new(1, 0), processor: Processor::Reader };
        let site = Site::new("reader.cpp", line, 5);
        Trace { processor: Some(processor), site }
    }

    #[test]
    fn the_last_calls_are_its_marks() {
        let last = [9, 8, 9, 7, 6].map(trace).to_vec();
        let loss = Loss::Ended("ends the process with code 0".to_owned());
        let finding = lost_worker(&Lost { loss, at: None, last });
        let marks: Vec<_> = finding.marks.iter().map(|it| (it.site.line, &*it.role)).collect();
        let expected = [
            (9, "the last call before, reader on core (1,0)"),
            (8, "earlier, reader on core (1,0)"),
            (7, "earlier, reader on core (1,0)"),
        ];
        assert_eq!(marks, expected);
        let title = "the kernel of reader on core (1,0) ends the process with code 0";
        assert_eq!(finding.title, title);
    }

    #[test]
    fn a_place_that_is_known_comes_first() {
        let at = Trace { processor: None, ..trace(3) };
        let loss = Loss::Silent(Duration::from_millis(1500));
        let lost = Lost { loss, at: Some(at), last: Vec::new() };
        let finding = lost_worker(&lost);
        assert_eq!(finding.title, "a C++ kernel does not come back");
        assert_eq!(finding.marks[0].site.line, 3);
        let proof = "proof: neither a call nor a step for 1.5 s of the host's time";
        assert_eq!(finding.facts, [proof, "no kernel had made a call"]);
        let last = vec![trace(5), trace(4)];
        let finding = lost_worker(&Lost { at: Some(trace(5)), last, ..lost });
        assert_eq!(finding.title, "the kernel of reader on core (1,0) does not come back");
        let lines: Vec<_> = finding.marks.iter().map(|mark| mark.site.line).collect();
        assert_eq!(lines, [5, 4]);
    }
}
