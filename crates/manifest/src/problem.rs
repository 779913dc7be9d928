//! What is wrong with a manifest, and where: problems are collected, so that a user sees all of
//! them at once. How they are drawn is not decided here.

use std::fmt;
use std::ops::Range;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Problem {
    /// A problem at a place.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem { span, message: message.into(), help: None }
    }

    /// The same problem with advice.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

/// The result of reading a part of a manifest: its value, or nothing if problems were reported.
#[derive(Clone, Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    pub(super) fn add(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// The value, or none after its problem is noted.
    pub(super) fn keep<Value>(&mut self, result: Result<Value, Problem>) -> Option<Value> {
        result.map_err(|problem| self.add(problem)).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The problems as an error of a file, if there is one.
    pub(super) fn into_result(self, file: &str, text: &str) -> Result<(), ManifestError> {
        if self.is_empty() { Ok(()) } else { Err(ManifestError::new(file, text, self.0)) }
    }
}

/// Everything that is wrong with one manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    /// The manifest's file, as it was given.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What is wrong, in the order of the text, each thing once.
    pub problems: Vec<Problem>,
}

impl ManifestError {
    pub(super) fn new(file: &str, text: &str, mut problems: Vec<Problem>) -> ManifestError {
        // A value that is used twice is wrong once.
        problems.sort_by(|a, b| {
            (a.span.start, a.span.end, &a.message).cmp(&(b.span.start, b.span.end, &b.message))
        });
        problems.dedup();
        ManifestError { file: file.to_owned(), text: text.to_owned(), problems }
    }

    /// The line and column of a problem, counted from 1, columns in characters.
    pub fn place(&self, problem: &Problem) -> (usize, usize) {
        place(&self.text, problem.span.start)
    }
}

/// The line and column of a byte, counted from 1.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let (line, column) = self.place(problem);
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}:{line}:{column}: {}", self.file, problem.message)?;
            if let Some(help) = &problem.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for ManifestError {}
