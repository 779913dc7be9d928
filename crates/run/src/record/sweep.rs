//! The answer of `tilewright sweep`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RunVerdict;
use crate::sweep::SweepRow;

/// What came of a sweep. With `--json` it is the last line, after a line for each run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sweep {
    /// What was run.
    pub subject: String,
    /// How many runs there are. The exit code is 1 if one is `fail`, `hang` or `error`, else 0.
    pub runs: usize,
    /// How many of them an earlier attempt had left.
    pub resumed: usize,
    /// Runs that pass.
    pub pass: usize,
    /// Runs whose outputs were compared with nothing.
    pub unjudged: usize,
    /// Runs with a finding or with values out of bound.
    pub fail: usize,
    /// Runs that stopped moving.
    pub hang: usize,
    /// Runs that could not run.
    pub error: usize,
    /// The run that came nearest to its bound, or furthest beyond it; null if none was judged.
    pub worst: Option<SweepRow>,
    /// The smallest failing run, made smaller while it fails in the same way; null if none fails.
    pub smallest_failure: Option<SweepFailure>,
    /// The files that were written.
    pub files: Vec<String>,
}

/// A failing run, made small.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweepFailure {
    /// The run that it was made from.
    pub index: usize,
    /// The value of each axis.
    pub point: BTreeMap<String, String>,
    /// What it comes to.
    pub verdict: RunVerdict,
    /// The kinds of findings.
    pub findings: Vec<String>,
    /// The command that makes the run again.
    pub replay: Option<String>,
    /// A capture of it; null for operations, whose command is enough.
    pub capture: Option<String>,
}
