//! Findings that are meant: taken off the list, counted, and noticed if there are none.

use std::collections::BTreeSet;

use tilewright_metal::Program;

use crate::finding::{Finding, FindingId};

/// What a session has found: what counts, what was allowed, and what a reader should know.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong, the earliest first, and after it how the run ended.
    pub findings: Vec<Finding>,
    /// What was found and is allowed.
    pub allowed: Vec<Finding>,
    /// Allows of the program that match nothing, or that nothing can match.
    pub notes: Vec<String>,
}

/// Parts findings into those that count and those that the program or the caller allows. What ends
/// a run cannot be allowed.
pub(crate) fn apply(
    program: &Program,
    asked: &BTreeSet<FindingId>,
    findings: Vec<Finding>,
) -> Report {
    let mut notes = Vec::new();
    let mut allowed: BTreeSet<FindingId> = asked.clone();
    let mut declared = Vec::new();
    for allowance in program.allowances() {
        match FindingId::from_name(&allowance.id) {
            Some(id) if id.tool().is_some() => declared.push((id, allowance)),
            Some(id) => notes.push(format!("allow {id}: it ends the run, and stays a finding")),
            None => notes.push(format!("allow {}: there is no such finding", allowance.id)),
        }
    }
    allowed.extend(declared.iter().map(|(id, _)| *id));
    let (taken, kept): (Vec<Finding>, Vec<Finding>) = findings
        .into_iter()
        .partition(|finding| finding.id.tool().is_some() && allowed.contains(&finding.id));
    for (id, allowance) in declared {
        if !taken.iter().any(|finding| finding.id == id) {
            let reason = &allowance.reason;
            notes.push(format!("allow {id} ({reason}): nothing of this kind was found"));
        }
    }
    Report { findings: kept, allowed: taken, notes }
}
