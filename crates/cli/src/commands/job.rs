//! What a command does with a program, wherever it is done.

use std::path::PathBuf;

use tilewright_report::record::{self, Failure};

use super::run::Ask;
use super::supervised;
use crate::args::Run;
use crate::output::{Output, Status};

/// The files that a command writes.
type Files<'a> = dyn Fn(&Ask<'_>) -> Vec<PathBuf> + 'a;
/// Runs a program and shows what came of it.
type Work<'a> = dyn Fn(&Ask<'_>, &Output) -> Result<Status, Failure> + 'a;
/// Shows a run.
type Show<'a> = dyn Fn(record::Run, &Output) -> Status + 'a;

/// A command's work on a program.
pub struct Job<'a> {
    /// How many schedules it runs.
    pub runs: u64,
    /// The files that it writes, and no others.
    pub files: Box<Files<'a>>,
    /// Runs the program and shows what came of it.
    pub work: Box<Work<'a>>,
    /// Shows a run that did not come to its end.
    pub show: Box<Show<'a>>,
}

impl Job<'_> {
    /// Does the work: in this process, or in one of its own if the kernels are foreign code.
    pub fn perform(&self, asked: &Run, output: &Output) -> Result<Status, Failure> {
        if supervised::is_meant(asked) {
            return supervised::perform(self, asked, output);
        }
        (self.work)(&Ask::new(asked)?, output)
    }
}
