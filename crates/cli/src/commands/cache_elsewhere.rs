//! `tilewright cache` where C++ kernels cannot run: there is none.

use tilewright_report::record::Failure;

use crate::args::Cache;
use crate::output::{Output, Status};

/// Says that nothing is compiled here.
pub fn cache(_: &Cache, _: &Output) -> Result<Status, Failure> {
    Err(Failure::new("C++ kernels are compiled on Linux only, and there is no cache of them"))
}
