//! What Python is told of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tilewright_report::record;
use tilewright_report::terminal::{self, Paint};
use tilewright_run::grade::ListedFault;

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
    /// What Python sees of a run.
    pub fn of_run(run: &record::Run) -> Record {
        Record {
            verdict: run.verdict.name().to_owned(),
            findings: run.findings.iter().map(rendered).collect(),
            completed: run.completed,
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
