//! Supervision where C++ kernels cannot run: nothing is foreign code.

use tilewright_report::record::Failure;

use super::job::Job;
use super::run::Ask;
use crate::args::Run;
use crate::output::{Output, Status};

/// Nothing is meant here.
pub(super) fn is_meant(_: &Run) -> bool {
    false
}

/// Does the work in this process.
pub(super) fn perform(job: &Job<'_>, asked: &Run, output: &Output) -> Result<Status, Failure> {
    (job.work)(&Ask::new(asked)?, output)
}
