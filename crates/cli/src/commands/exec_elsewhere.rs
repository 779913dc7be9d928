//! `tilewright exec` where C++ kernels cannot run.

use tilewright_report::record::Failure;

use crate::args::Exec;
use crate::output::{Output, Status};

/// Says so.
pub fn exec(_: &Exec, _: &Output) -> Result<Status, Failure> {
    Err(Failure::new("C++ host programs run on Linux only"))
}
