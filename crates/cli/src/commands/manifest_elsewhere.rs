//! Program manifests where C++ kernels cannot run: refused with a message.

use tilewright_metal::Device;
use tilewright_report::record::Failure;

use super::run::Ready;
use crate::args::Run;
use crate::output::Status;

/// Whether a name is a manifest's and not an operation's.
pub(super) fn is_meant(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// No process is started for kernels here.
pub(super) fn is_worker() -> bool {
    false
}

/// Says that manifests need Linux.
pub(super) fn supervise() -> Result<Status, Failure> {
    Err(refusal())
}

/// Says that manifests need Linux.
pub(super) fn prepare(_: &Run, _: &mut Device) -> Result<Ready, Failure> {
    Err(refusal())
}

fn refusal() -> Failure {
    Failure::new("a program manifest has C++ kernels, which run on Linux only")
        .help("operations run everywhere: `tilewright list`")
}
