//! What came of one run of a sweep.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Point;
use crate::outcome::Outcome;
use crate::record::{Failure, Number, RunVerdict};

/// One run. Nothing in it depends on the host or on time, so that tables can be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRow {
    /// Its number, counted from 0 in the order of the combinations.
    pub index: usize,
    /// The value of each axis.
    pub point: BTreeMap<String, String>,
    /// What it comes to; `error` if it could not run.
    pub verdict: RunVerdict,
    /// The kinds of findings.
    pub findings: Vec<String>,
    /// The largest error over bound of any output; null if none was judged.
    pub worst_ratio: Option<Number>,
    /// The largest error of any output; null if none was judged.
    pub max_abs_error: Option<Number>,
    /// Simulated cycles; null if it could not run.
    pub cycles: Option<u64>,
    /// Why it could not run; null if it could.
    pub message: Option<String>,
    /// The command that makes the run again; null if it could not run.
    pub replay: Option<String>,
}

impl SweepRow {
    /// What came of a combination.
    pub(super) fn new(index: usize, point: &Point, outcome: &Result<Outcome, Failure>) -> SweepRow {
        let point = point.iter().cloned().collect();
        match outcome {
            Ok(outcome) => {
                let run = &outcome.run;
                let most = |of: fn(&crate::record::Output) -> Number| {
                    let judged = run.outputs.values().filter(|output| output.judged > 0);
                    judged.map(|output| of(output).0).reduce(f64::max).map(Number)
                };
                let mut findings: Vec<String> =
                    run.findings.iter().map(|it| it.id.clone()).collect();
                findings.sort();
                findings.dedup();
                SweepRow {
                    index,
                    point,
                    verdict: run.verdict,
                    findings,
                    worst_ratio: most(|output| output.worst_ratio),
                    max_abs_error: most(|output| output.max_abs_error),
                    cycles: Some(run.cycles),
                    message: None,
                    replay: Some(run.replay.clone()),
                }
            }
            Err(failure) => SweepRow {
                index,
                point,
                verdict: RunVerdict::Error,
                findings: failure.finding.iter().map(|it| it.id.clone()).collect(),
                worst_ratio: None,
                max_abs_error: None,
                cycles: None,
                message: Some(failure.message.clone()),
                replay: None,
            },
        }
    }

    /// Whether something is wrong with the kernels.
    pub fn is_failure(&self) -> bool {
        match self.verdict {
            RunVerdict::Fail | RunVerdict::Hang => true,
            RunVerdict::Pass | RunVerdict::Unjudged | RunVerdict::Error | RunVerdict::Paused => {
                false
            }
        }
    }
}
