//! One request on several devices: the runs, and what differs between them.

use std::sync::Arc;

use crate::keep::Kept;
use crate::outcome::Outcome;
use crate::pipeline;
use crate::progress::FrontEnd;
use crate::record::{
    Devices, Failure, Finding, FindingDifference, Number, OutputDifference, Run, RunVerdict,
};
use crate::request::Request;

/// Runs a request on each device, and compares every output with that of the first.
pub fn compare(
    request: &Request,
    devices: &[String],
    front: &Arc<dyn FrontEnd>,
) -> Result<Devices, Failure> {
    let mut outcomes = Vec::new();
    for name in devices {
        let request =
            Request { device: Some(name.clone()), keeps_outputs: true, ..request.clone() };
        outcomes.push(pipeline::run(&request, front, None).map_err(|failure| failure.on(name))?);
    }
    let Some((first, others)) = outcomes.split_first() else {
        return Err(Failure::new("there is no device to run on"));
    };
    let outputs = others.iter().flat_map(|other| differences(first, other)).collect();
    let runs: Vec<Run> = outcomes.into_iter().map(|outcome| outcome.run).collect();
    let verdict = runs.iter().map(|run| run.verdict).max_by_key(|verdict| severity(*verdict));
    Ok(Devices {
        verdict: verdict.unwrap_or(RunVerdict::Error),
        findings: not_on_all(&runs),
        runs,
        outputs,
    })
}

/// Which of two verdicts is worse.
fn severity(verdict: RunVerdict) -> u8 {
    match verdict {
        RunVerdict::Pass => 0,
        RunVerdict::Paused => 1,
        RunVerdict::Unjudged => 2,
        RunVerdict::Fail => 3,
        RunVerdict::Hang => 4,
        RunVerdict::Error => 5,
    }
}

/// The outputs of two runs that completed.
fn differences(first: &Outcome, other: &Outcome) -> Vec<OutputDifference> {
    let completed = |outcome: &Outcome| {
        matches!(severity(outcome.run.verdict), 0..=3) && !outcome.kept.is_empty()
    };
    if !completed(first) || !completed(other) {
        return Vec::new();
    }
    let pairs = first.kept.iter().filter_map(|kept| {
        other.kept.iter().find(|it| it.name == kept.name).map(|theirs| (kept, theirs))
    });
    pairs.map(|(ours, theirs)| difference((&first.run, ours), (&other.run, theirs))).collect()
}

fn difference((first, ours): (&Run, &Kept), (other, theirs): (&Run, &Kept)) -> OutputDifference {
    let (ours_values, theirs_values) = (ours.tensor.to_f32(), theirs.tensor.to_f32());
    let pairs = ours_values.iter().zip(&theirs_values);
    let differs = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits();
    let far = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
    let in_bound = |run: &Run| run.outputs.get(&ours.name).map(|output| output.in_bound);
    OutputDifference {
        name: ours.name.clone(),
        devices: [first.request.device.clone(), other.request.device.clone()],
        elements: ours_values.len() as u64,
        differing: pairs.clone().filter(|pair| differs(*pair)).count() as u64,
        first_index: pairs.clone().position(differs).map(|at| at as u64),
        max_abs_difference: Number(pairs.map(far).filter(|it| it.is_finite()).fold(0.0, f64::max)),
        in_bound: in_bound(first).zip(in_bound(other)).map(|(one, two)| one && two),
    }
}

/// Findings of one kind at the same lines are one.
fn not_on_all(runs: &[Run]) -> Vec<FindingDifference> {
    let lines = |finding: &Finding| -> Vec<(String, u32)> {
        finding.marks.iter().map(|mark| (mark.file.clone(), mark.line)).collect()
    };
    let same = |a: &Finding, b: &Finding| a.id == b.id && lines(a) == lines(b);
    let mut all: Vec<&Finding> = Vec::new();
    for finding in runs.iter().flat_map(|run| &run.findings) {
        if !all.iter().any(|known| same(known, finding)) {
            all.push(finding);
        }
    }
    let devices = |finding: &Finding| -> Vec<String> {
        let having = runs.iter().filter(|run| run.findings.iter().any(|it| same(it, finding)));
        having.map(|run| run.request.device.clone()).collect()
    };
    let differences = all.into_iter().map(|finding| FindingDifference {
        id: finding.id.clone(),
        title: finding.title.clone(),
        devices: devices(finding),
    });
    differences.filter(|difference| difference.devices.len() < runs.len()).collect()
}
