//! Findings that are known: they do not count until they are gone.

use serde::{Deserialize, Serialize};

use super::{Spot, fingerprint};
use crate::json;
use crate::record::{Blame, CheckedProgram, Finding, RunVerdict};

/// A finding of a baseline. Lines and cycles are not part of it, so that it stays known when lines
/// above it change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The program it is of.
    pub program: String,
    /// The kind of finding.
    pub id: String,
    /// What happened, for readers.
    pub title: String,
    /// What it is recognised by.
    pub fingerprint: String,
}

impl Known {
    fn new(program: &str, finding: &Finding) -> Known {
        let file = Spot::of_finding(finding).map_or("", |place| place.file);
        Known {
            program: program.to_owned(),
            id: finding.id.clone(),
            title: finding.title.clone(),
            fingerprint: fingerprint(program, &finding.id, file, &finding.title),
        }
    }
}

/// All findings of programs, as a file.
pub fn baseline(programs: &[CheckedProgram]) -> String {
    let of = |program: &CheckedProgram| -> Vec<Known> {
        program.findings().map(|finding| Known::new(&program.name, finding)).collect()
    };
    let mut all: Vec<Known> = programs.iter().flat_map(of).collect();
    all.sort();
    all.dedup();
    json::text(&all)
}

/// What a file knows.
pub fn known(text: &str) -> Result<Vec<Known>, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Takes known findings out of runs that completed, and says how many. Values outside their bounds
/// and runs that hang stay what they are.
pub fn leave_out(programs: &mut [CheckedProgram], known: &[Known]) -> usize {
    let mut left_out = 0;
    for program in programs {
        let Some(run) = &mut program.run else { continue };
        let is_new = |finding: &Finding| {
            let fingerprint = Known::new(&program.name, finding).fingerprint;
            !known.iter().any(|it| it.fingerprint == fingerprint)
        };
        let before = run.findings.len();
        run.findings.retain(is_new);
        left_out += before - run.findings.len();
        let is_right = run.outputs.values().all(|output| output.in_bound);
        let is_bug = |it: &Finding| matches!(it.blame, Blame::KernelBug | Blame::HostBug);
        if run.verdict == RunVerdict::Fail && is_right && !run.findings.iter().any(is_bug) {
            let is_judged = !run.outputs.is_empty() && run.uncompared.is_empty();
            run.verdict = if is_judged { RunVerdict::Pass } else { RunVerdict::Unjudged };
        }
    }
    left_out
}
