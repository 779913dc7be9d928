//! The answer of `tilewright check` for several programs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::failure::Failure;
use super::finding::Finding;
use super::run::{Run, RunVerdict};

/// What came of several programs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Checked {
    /// The worst of all; `error` if one could not be run.
    pub verdict: RunVerdict,
    /// How many came to which verdict.
    pub counts: BTreeMap<String, usize>,
    /// Findings that the baseline knows: they are not listed and do not count.
    pub known: usize,
    /// Every program, in the order asked for.
    pub programs: Vec<CheckedProgram>,
}

/// What came of one program.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CheckedProgram {
    /// The operation, or the file of a manifest or capture.
    pub name: String,
    /// Its run; left out if it could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<Run>>,
    /// Why it could not be run; left out if it could.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl CheckedProgram {
    /// The record of an attempt.
    pub fn new(name: &str, attempt: Result<Run, Failure>) -> CheckedProgram {
        let name = name.to_owned();
        match attempt {
            Ok(run) => CheckedProgram { name, run: Some(Box::new(run)), failure: None },
            Err(failure) => CheckedProgram { name, run: None, failure: Some(failure) },
        }
    }

    /// What it comes to.
    pub fn verdict(&self) -> RunVerdict {
        self.run.as_ref().map_or(RunVerdict::Error, |run| run.verdict)
    }

    /// What was found in it.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of_run = self.run.iter().flat_map(|run| &run.findings);
        let of_failure = self.failure.iter().filter_map(|failure| failure.finding.as_deref());
        of_run.chain(of_failure)
    }
}

impl Checked {
    /// The record of all programs.
    pub fn new(programs: Vec<CheckedProgram>, known: usize) -> Checked {
        let mut counts = BTreeMap::new();
        for program in &programs {
            *counts.entry(program.verdict().name().to_owned()).or_insert(0) += 1;
        }
        let failed = programs.iter().any(|program| program.failure.is_some());
        let worst = RunVerdict::worst(programs.iter().map(CheckedProgram::verdict));
        let verdict = if failed { RunVerdict::Error } else { worst };
        Checked { verdict, counts, known, programs }
    }
}
