//! The answers of `tilewright new` and `tilewright stages`, and the lines of `breadcrumbs.jsonl`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::Number;

/// An operation that was scaffolded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct New {
    /// The operation.
    pub name: String,
    /// What the host's side is written in: `python`.
    pub language: String,
    /// The template.
    pub template: String,
    /// The folder.
    pub directory: String,
    /// The files that were written, relative to the folder.
    pub files: Vec<String>,
}

/// How far an operation is, stage by stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stages {
    /// The operation: the name of its folder.
    pub operation: String,
    /// The folder, as it was given.
    pub directory: String,
    /// `python` or `rust`.
    pub language: String,
    /// The seven stages in their order.
    pub stages: Vec<Stage>,
    /// How many pass. The exit code is 0 if none fails, else 1.
    pub passed: usize,
    /// Stages that have passed before and fail now, by number.
    pub regressions: Vec<u32>,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// Its number, from 1.
    pub number: u32,
    /// Its name.
    pub name: String,
    /// What came of its tests.
    pub status: StageStatus,
    /// What keeps it from passing: the failed test and its message, or the stage that failed before
    /// it; null if nothing does.
    pub blocker: Option<String>,
    /// The finding that fails it; null if it is none.
    pub finding: Option<StageFinding>,
    /// Tests that ran.
    pub tests: usize,
    /// Seconds of the host that they took.
    pub seconds: Number,
    /// What is different from the last run.
    pub change: StageChange,
    /// Whether it has passed in this run or an earlier one.
    pub has_passed: bool,
}

/// What came of a stage's tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StageStatus {
    /// All pass, and there is at least one.
    Pass,
    /// One fails.
    Fail,
    /// An earlier stage fails, so that they did not run.
    Blocked,
    /// There are none, or none was asked for.
    NotRun,
}

impl StageStatus {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StageStatus::Pass => "pass",
            StageStatus::Fail => "fail",
            StageStatus::Blocked => "blocked",
            StageStatus::NotRun => "not-run",
        }
    }
}

/// What is different from the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StageChange {
    /// There was no run before.
    First,
    /// The status is the same.
    Same,
    /// It passes now.
    PassesNow,
    /// It has passed before and fails now.
    Regression,
    /// The status is another one.
    Changed,
}

impl StageChange {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StageChange::First => "first",
            StageChange::Same => "same",
            StageChange::PassesNow => "passes-now",
            StageChange::Regression => "regression",
            StageChange::Changed => "changed",
        }
    }
}

/// The finding that fails a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageFinding {
    /// Its kind, such as `missing-startup`.
    pub id: String,
    /// What happened.
    pub title: String,
    /// The kernel's file; null if it is at no line.
    pub file: Option<String>,
    /// The line; null if it is at none.
    pub line: Option<u32>,
    /// What to do; null if nothing is advised.
    pub help: Option<String>,
}

/// One line of `breadcrumbs.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breadcrumb {
    /// When it was written: ISO 8601, in UTC.
    pub ts: String,
    /// What happened: a run started, the tests of a stage ended, the run is complete.
    pub event: BreadcrumbEvent,
    /// Who has written the line.
    pub agent: String,
    /// The operation.
    pub operation: String,
    /// The stage, for `test`; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// How many stages pass, for `complete`; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<usize>,
    /// Stages that have passed before and fail now, for `complete`; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regressions: Option<Vec<u32>>,
}

/// What a line of `breadcrumbs.jsonl` tells of. Other tools may add lines with events of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BreadcrumbEvent {
    /// A run has started.
    Start,
    /// The tests of a stage have ended.
    Test,
    /// The run has ended.
    Complete,
}
