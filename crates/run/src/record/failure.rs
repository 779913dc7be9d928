//! The answer of a command that could not do what it was asked to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::Finding;

/// Why a command could not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Always `error`.
    pub verdict: FailureVerdict,
    /// What is wrong, where, and what would be right.
    pub message: String,
    /// What to do next, if there is one thing to do.
    pub help: Option<String>,
    /// The finding that the failure is, if it is one.
    pub finding: Option<Box<Finding>>,
    /// The places of a file that is wrong, such as a program manifest; left out if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
}

/// Something wrong at a place of a file that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The file, as it was given.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The column, counted from 1 in characters.
    pub column: u32,
    /// How many characters are meant; 0 if that is not known.
    pub width: u32,
    /// What is wrong.
    pub message: String,
    /// What would be right, if that is known.
    pub help: Option<String>,
}

/// The one verdict of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            places: Vec::new(),
        }
    }

    /// The same failure with advice.
    pub fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }

    /// The same failure, on one of several devices.
    pub(crate) fn on(mut self, device: &str) -> Failure {
        self.message = format!("{device}: {}", self.message);
        self
    }

    /// The same failure with the finding that it is.
    pub fn finding(mut self, finding: Finding) -> Failure {
        self.finding = Some(Box::new(finding));
        self
    }

    /// The same failure with the places that are wrong.
    pub fn places(mut self, places: Vec<Place>) -> Failure {
        self.places = places;
        self
    }
}

/// What `--json` prints: the command's record, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer<Record> {
    /// The command's record.
    Record(Record),
    /// Why there is none; the exit code is 2.
    Failure(Failure),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.places.iter().try_for_each(|place| {
            write!(f, "\n{}:{}:{}: {}", place.file, place.line, place.column, place.message)
        })?;
        self.help.iter().try_for_each(|help| write!(f, "\nhelp: {help}"))
    }
}

impl std::error::Error for Failure {}
