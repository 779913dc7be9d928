//! Several runs beside each other, on several devices or of two programs: what differs.

use std::path::Path;
use std::sync::Arc;

use tilewright_check::{Identities, Identity};

use crate::capture_file;
use crate::keep::Kept;
use crate::outcome::{Outcome, Witness};
use crate::pipeline;
use crate::progress::FrontEnd;
use crate::record::{
    self, Devices, Diff, Failure, Finding, FindingDifference, Mark, Number, OutputDifference, Run,
    RunVerdict,
};
use crate::request::Request;

/// What a witness made of a run.
pub type Testimony = Vec<Vec<u8>>;

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
    let labels =
        |other: &Outcome| [first.run.request.device.clone(), other.run.request.device.clone()];
    let outputs = others.iter().flat_map(|it| differences((first, it), &labels(it))).collect();
    let runs: Vec<Run> = outcomes.into_iter().map(|outcome| outcome.run).collect();
    Ok(Devices {
        verdict: RunVerdict::worst(runs.iter().map(|run| run.verdict)),
        findings: not_in_all(&runs, devices, |run| record::identities(&run.findings)),
        runs,
        outputs,
    })
}

/// Runs two requests, each seen by a witness, and compares all that came of them. With it comes
/// what the witnesses made of the runs.
pub fn diff(
    requests: [&Request; 2],
    witnesses: [&mut dyn Witness; 2],
    front: &Arc<dyn FrontEnd>,
) -> Result<(Diff, [Testimony; 2]), Failure> {
    let run = |request: &Request, witness: &mut dyn Witness| {
        let request = Request { keeps_outputs: true, ..request.clone() };
        pipeline::run(&request, front, Some(witness)).map_err(|failure| failure.on(request.name()))
    };
    let [one, two] = witnesses;
    let (mut first, mut other) = (run(requests[0], one)?, run(requests[1], two)?);
    let testimony = [&mut first, &mut other].map(|it| std::mem::take(&mut it.testimony));
    let names = names([&first.run, &other.run], requests.map(Request::name));
    let outputs = differences((&first, &other), &names);
    let has = |outcome: &Outcome, name: &str| outcome.kept.iter().any(|it| it.name == name);
    let all = first.kept.iter().chain(&other.kept).map(|kept| kept.name.clone());
    let other_outputs = all.filter(|name| !has(&first, name) || !has(&other, name)).collect();
    let runs = [first.run, other.run];
    let mut diff = Diff {
        is_same: false,
        findings: not_in_all(&runs, &names, |run| edited_identities(&run.findings)),
        names,
        outputs,
        other_outputs,
        lines: Vec::new(),
        runs,
    };
    diff.is_same = is_same(&diff);
    Ok((diff, testimony))
}

/// What tells two runs apart: their devices, their programs, or both.
fn names(runs: [&Run; 2], programs: [&str; 2]) -> [String; 2] {
    let devices = runs.map(|run| run.request.device.as_str());
    if devices[0] == devices[1] {
        return programs.map(str::to_owned);
    }
    if programs[0] == programs[1] {
        return devices.map(str::to_owned);
    }
    [0, 1].map(|place| format!("{} on {}", programs[place], devices[place]))
}

fn is_same(diff: &Diff) -> bool {
    let [first, other] = &diff.runs;
    (first.verdict, first.cycles) == (other.verdict, other.cycles)
        && diff.findings.is_empty()
        && diff.other_outputs.is_empty()
        && diff.outputs.iter().all(|output| output.differing == 0)
}

/// The outputs of two runs that completed.
fn differences(
    (first, other): (&Outcome, &Outcome),
    between: &[String; 2],
) -> Vec<OutputDifference> {
    let completed = |outcome: &Outcome| {
        let is_over = match outcome.run.verdict {
            RunVerdict::Pass | RunVerdict::Unjudged | RunVerdict::Fail | RunVerdict::Paused => true,
            RunVerdict::Hang | RunVerdict::Error => false,
        };
        is_over && !outcome.kept.is_empty()
    };
    if !completed(first) || !completed(other) {
        return Vec::new();
    }
    let pairs = first.kept.iter().filter_map(|kept| {
        other.kept.iter().find(|it| it.name == kept.name).map(|theirs| (kept, theirs))
    });
    let all = pairs.map(|(ours, theirs)| OutputDifference {
        between: between.clone(),
        ..difference((&first.run, ours), (&other.run, theirs))
    });
    all.collect()
}

fn difference((first, ours): (&Run, &Kept), (other, theirs): (&Run, &Kept)) -> OutputDifference {
    let (ours_values, theirs_values) = (ours.tensor.to_f32(), theirs.tensor.to_f32());
    let pairs = ours_values.iter().zip(&theirs_values);
    let differs = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits();
    let far = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
    let in_bound = |run: &Run| run.outputs.get(&ours.name).map(|output| output.in_bound);
    OutputDifference {
        name: ours.name.clone(),
        between: Default::default(),
        elements: ours_values.len() as u64,
        differing: pairs.clone().filter(|pair| differs(*pair)).count() as u64,
        first_index: pairs.clone().position(differs).map(|at| at as u64),
        max_abs_difference: Number(pairs.map(far).filter(|it| it.is_finite()).fold(0.0, f64::max)),
        in_bound: in_bound(first).zip(in_bound(other)).map(|(one, two)| one && two),
    }
}

/// What findings are known by in another version of a program: lines move, and its files may be in
/// another folder, as those of a capture are.
fn edited_identities(findings: &[Finding]) -> Vec<Identity<String, Option<(String, String)>>> {
    let place = |mark: &Mark| {
        let file = Path::new(&mark.file).file_name().unwrap_or_default().to_string_lossy();
        (file.into_owned(), line_text(mark).unwrap_or_else(|| mark.line.to_string()))
    };
    let mut run = Identities::default();
    findings.iter().map(|it| run.next(it.id.clone(), it.marks.first().map(place))).collect()
}

/// What a line says, if its file is there.
fn line_text(mark: &Mark) -> Option<String> {
    let text = std::fs::read_to_string(&mark.file).ok()?;
    let index = usize::try_from(mark.line).ok()?.checked_sub(1)?;
    Some(text.lines().nth(index)?.trim().to_owned())
}

/// Findings that not all runs have.
fn not_in_all<Known: PartialEq>(
    runs: &[Run],
    names: &[String],
    known_by: impl Fn(&Run) -> Vec<Known>,
) -> Vec<FindingDifference> {
    let identities: Vec<Vec<Known>> = runs.iter().map(known_by).collect();
    let found_in = |identity: &Known| -> Vec<String> {
        let having = identities.iter().zip(names).filter(|(all, _)| all.contains(identity));
        having.map(|(_, name)| name.clone()).collect()
    };
    let mut all: Vec<(&Known, &Finding)> = Vec::new();
    for (run, identities) in runs.iter().zip(&identities) {
        for (identity, finding) in identities.iter().zip(&run.findings) {
            if all.iter().all(|(known, _)| *known != identity) {
                all.push((identity, finding));
            }
        }
    }
    let differences = all.into_iter().map(|(identity, finding)| FindingDifference {
        id: finding.id.clone(),
        title: finding.title.clone(),
        place: finding
            .own_line()
            .map(|it| format!("{}:{}", capture_file::original(&it.file), it.line)),
        help: finding.help.clone(),
        found_in: found_in(identity),
    });
    differences.filter(|difference| difference.found_in.len() < runs.len()).collect()
}
