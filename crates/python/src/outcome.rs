//! What Python is told of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tilewright_check::{Finding, Report, undeclared};
use tilewright_metal::{Ending, Outcome, Program};
use tilewright_report::record::{self, RunVerdict, Said};
use tilewright_report::terminal::{self, Paint};
use tilewright_run::grade::ListedFault;

use crate::request::Options;

/// The outcome of a program.
#[derive(Serialize, Deserialize)]
pub struct Record {
    pub verdict: String,
    /// Records of findings, each with its text under `rendered`.
    pub findings: Vec<serde_json::Value>,
    /// Whether every kernel returned.
    pub completed: bool,
    pub cycles: u64,
    pub seed: u64,
    pub digest: String,
    pub wall_seconds: f64,
    pub cores: usize,
    pub printed: Vec<String>,
    pub notes: Vec<String>,
    /// Outputs that were compared with a reference.
    pub outputs: BTreeMap<String, record::Output>,
    /// Faults that fit the run, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<ListedFault>,
}

impl Record {
    /// A run that came to an end of some kind.
    pub fn of(
        program: &Program,
        outcome: &Outcome,
        report: Report,
        options: &Options,
        wall_seconds: f64,
    ) -> Record {
        let findings: Vec<_> =
            report.sightings.iter().map(|it| record::Finding::from(&it.finding)).collect();
        let outputs = BTreeMap::new();
        let uncompared = ["output".to_owned()];
        let verdict = RunVerdict::of(&outcome.ending, &findings, &outputs, &uncompared);
        let mut notes = report.notes;
        notes.extend(undeclared(program, &options.tools()));
        Record {
            verdict: verdict.name().to_owned(),
            findings: findings.iter().map(rendered).collect(),
            completed: outcome.ending == Ending::Completed,
            cycles: outcome.cycles.0,
            seed: options.seed,
            digest: format!("{:016x}", outcome.digest.0),
            wall_seconds,
            cores: program.cores().iter().count(),
            printed: Said::of(std::slice::from_ref(outcome)).printed.iter().map(line).collect(),
            notes,
            outputs,
            faults: Vec::new(),
        }
    }

    /// A run of one of our operations.
    pub fn of_run(run: &record::Run) -> Record {
        Record {
            verdict: run.verdict.name().to_owned(),
            findings: run.findings.iter().map(rendered).collect(),
            completed: !run.outputs.is_empty(),
            cycles: run.cycles,
            seed: run.seed,
            digest: run.digest.clone(),
            wall_seconds: run.wall_seconds,
            cores: run.request.cores as usize,
            printed: run.printed.iter().map(line).collect(),
            notes: run.notes.clone(),
            outputs: run.outputs.clone(),
            faults: Vec::new(),
        }
    }

    /// A run whose process did not come to its end.
    pub fn lost(finding: &Finding, verdict: RunVerdict, options: &Options) -> Record {
        Record {
            verdict: verdict.name().to_owned(),
            findings: vec![rendered(&record::Finding::from(finding))],
            completed: false,
            cycles: 0,
            seed: options.seed,
            digest: String::new(),
            wall_seconds: 0.0,
            cores: 0,
            printed: Vec::new(),
            notes: Vec::new(),
            outputs: BTreeMap::new(),
            faults: Vec::new(),
        }
    }
}

fn rendered(finding: &record::Finding) -> serde_json::Value {
    let text = terminal::finding(finding, "", Paint::Plain);
    let mut value = serde_json::to_value(finding).unwrap_or_default();
    value["rendered"] = text.into();
    value
}

fn line(printed: &record::Printed) -> String {
    let who = [printed.core.as_deref(), printed.processor.as_deref()];
    let who: Vec<&str> = who.into_iter().flatten().collect();
    let mark = match printed.source {
        record::PrintedSource::Waypoint => " at waypoint",
        record::PrintedSource::Dprint
        | record::PrintedSource::Stdout
        | record::PrintedSource::Stderr => ":",
    };
    format!("{}{mark} {}", who.join(" "), printed.text)
}
