//! Program manifests where C++ kernels cannot run: refused with a message.

use tilewright_metal::{Device, Prepared, RunOptions};
use tilewright_report::record::{self, Failure};

use crate::args::Run;

/// Whether a name is a manifest's and not an operation's.
pub(super) fn is_meant(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// A manifest that was asked for; there is none here.
pub(super) enum Asked {}

impl Asked {
    /// Says that manifests need Linux.
    pub(super) fn new(_: &Run) -> Result<Asked, Failure> {
        Err(refusal())
    }

    /// What it calls itself.
    pub(super) fn name(&self) -> &str {
        match *self {}
    }

    /// Who compiled its kernels.
    pub(super) fn compiled_by(&self) -> String {
        match *self {}
    }

    /// How many cores run a kernel.
    pub(super) fn cores(&self) -> u32 {
        match *self {}
    }

    /// On how few cores every core would repeat its loops.
    pub(super) fn few_cores(&self) -> Option<u32> {
        match *self {}
    }

    /// What a reader should know.
    pub(super) fn notes(&self) -> Vec<String> {
        match *self {}
    }

    /// Puts its tensors on a device.
    pub(super) fn prepare(&self, _: &mut Device) -> Result<Prepared, Failure> {
        match *self {}
    }

    /// What was asked for.
    pub(super) fn echo(&self, _: &Run, _: RunOptions) -> record::Request {
        match *self {}
    }
}

/// The command that makes the same run again.
pub(super) fn replay(asked: &Run, command: &str, (seed, _): (u64, &str)) -> String {
    format!("tilewright {command} {} --seed {seed}", asked.name)
}

/// No kernel is compiled here.
pub(super) fn other_compiler(_: &Run, _: &str) -> Option<String> {
    None
}

fn refusal() -> Failure {
    Failure::new("a program manifest has C++ kernels, which run on Linux only")
        .help("operations run everywhere: `tilewright list`")
}
