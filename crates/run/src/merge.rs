//! Several schedules as one record.

use tilewright_check::{MergedFinding, MergedSchedules};

use crate::ask::{Ask, Merged};
use crate::record::{self, RunVerdict};
use crate::schedule::ScheduleOutcome;

/// One record of all schedules.
pub(crate) fn merged(ask: &Ask<'_>, all: Vec<ScheduleOutcome>) -> record::Run {
    let mut schedules = MergedSchedules::default();
    for one in &all {
        schedules.add(
            one.seed,
            one.sightings.clone(),
            one.judged.bits.as_deref().unwrap_or_default(),
        );
    }
    let is_one = all.len() == 1;
    let finding = |found: &MergedFinding| {
        let mut finding = record::Finding::from(&found.finding);
        finding.distinguished_by = found.line.clone();
        let command = ask.replay("replay", found.seeds[0]);
        let stop = found.cycle.filter(|_| ask.can_pause());
        let stop = stop.map_or_else(String::new, |cycle| format!(" --stop-at {cycle}"));
        finding.replay = Some(command + &stop);
        if !is_one {
            finding.seeds.clone_from(&found.seeds);
        }
        finding
    };
    let found = schedules.findings();
    let findings: Vec<_> = found.iter().map(finding).collect();
    // No schedule's own verdict knows of what takes several.
    let of_several = found.iter().any(|it| it.finding.id.needs_schedules());
    let verdicts = all.iter().map(|one| one.verdict);
    let verdict = RunVerdict::worst(verdicts.chain(of_several.then_some(RunVerdict::Fail)));
    let is_outside =
        |one: &&ScheduleOutcome| one.judged.outputs.values().any(|output| !output.in_bound);
    let shown =
        all.iter().find(is_outside).or_else(|| all.iter().find(|it| it.judged.bits.is_some()));
    let outputs = shown.map(|one| one.judged.outputs.clone()).unwrap_or_default();
    let uncompared = shown.map(|one| one.uncompared.clone()).unwrap_or_default();
    let completed = all.iter().all(|one| one.judged.bits.is_some());
    let schedules = all.len() as u64;
    let merged = Merged { verdict, completed, findings, outputs, uncompared, schedules };
    ask.record(&all[0], merged)
}
