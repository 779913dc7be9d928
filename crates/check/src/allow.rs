//! Findings that are meant: taken off the list, counted, and noticed if there are none.

use std::collections::BTreeSet;

use tilewright_metal::Program;

use crate::FindingId;
use crate::finding::Finding;
use crate::session::Sighting;
use crate::tool::Tools;
use crate::written::Written;

/// What a session has found: what counts, what was allowed, and what a reader should know.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What is wrong, the earliest first, and after it how the run ended.
    pub sightings: Vec<Sighting>,
    /// What was found and is allowed.
    pub allowed: Vec<Finding>,
    /// Allows of the program that match nothing, or that nothing can match.
    pub notes: Vec<String>,
    /// The tools that were on.
    pub(crate) tools: Tools,
    /// The kinds that are allowed.
    pub(crate) allows: BTreeSet<FindingId>,
    /// Who wrote the outputs.
    pub(crate) written: Vec<Written>,
    /// How many programs it is about.
    pub(crate) programs: usize,
}

impl Report {
    /// Says in every finding which of a run's programs it is about.
    pub fn name_program(&mut self, name: &str) {
        for sighting in &mut self.sightings {
            sighting.finding.program = Some(name.to_owned());
        }
    }

    /// Takes what was found in a program that ran after `elapsed` cycles of others.
    pub fn join(&mut self, later: Report, elapsed: u64) {
        let Report { sightings, allowed, notes, tools, allows, written, programs } = later;
        for mut sighting in sightings {
            sighting.cycle += elapsed;
            sighting.program += self.programs;
            self.sightings.push(sighting);
        }
        self.allowed.extend(allowed);
        self.notes.extend(notes);
        self.tools = tools;
        self.allows.extend(allows);
        let program = self.programs;
        self.written.extend(written.into_iter().map(|mut it| {
            it.program += program;
            it
        }));
        self.programs += programs;
    }

    /// What is wrong, without its times.
    pub fn findings(self) -> Vec<Finding> {
        self.sightings.into_iter().map(|sighting| sighting.finding).collect()
    }
}

/// Parts findings into those that count and those that the program or the caller allows. What ends
/// a run cannot be allowed.
pub(crate) fn apply(
    program: &Program,
    asked: &BTreeSet<FindingId>,
    sightings: Vec<Sighting>,
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
    let is_allowed = |id: FindingId| id.tool().is_some() && allowed.contains(&id);
    let (taken, kept): (Vec<Sighting>, Vec<Sighting>) =
        sightings.into_iter().partition(|sighting| is_allowed(sighting.finding.id));
    let taken: Vec<Finding> = taken.into_iter().map(|sighting| sighting.finding).collect();
    // Values are judged after this, by others.
    for (id, allowance) in declared.into_iter().filter(|(id, _)| !id.declaration().is_judged) {
        if !taken.iter().any(|finding| finding.id == id) {
            let reason = &allowance.reason;
            notes.push(format!("allow {id} ({reason}): nothing of this kind was found"));
        }
    }
    Report { sightings: kept, allowed: taken, notes, allows: allowed, ..Report::default() }
}
