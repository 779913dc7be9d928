//! The answer of a command that could not do what it was asked to.

use schemars::JsonSchema;
use serde::Serialize;

use super::run::Finding;

/// Why a command could not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// Always `error`.
    pub verdict: FailureVerdict,
    /// What is wrong, where, and what would be right.
    pub message: String,
    /// What to do next, if there is one thing to do.
    pub help: Option<String>,
    /// The finding that the failure is, if it is one.
    pub finding: Option<Box<Finding>>,
}

/// The one verdict of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailureVerdict {
    /// The command could not run.
    Error,
}

impl Failure {
    /// A failure with its message.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            verdict: FailureVerdict::Error,
            message: message.into(),
            help: None,
            finding: None,
        }
    }

    /// The same failure with advice.
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }

    /// The same failure with the finding that it is.
    pub fn finding(mut self, finding: Finding) -> Failure {
        self.finding = Some(Box::new(finding));
        self
    }
}

/// What `--json` prints: the command's record, or why there is none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer<Record> {
    /// The command's record.
    Record(Record),
    /// Why there is none; the exit code is 2.
    Failure(Failure),
}
