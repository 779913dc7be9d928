//! Program manifests where C++ kernels cannot run: refused with a message.

use tilewright_metal::{Device, Prepared, RunOptions};

use crate::progress::Progress;
use crate::record::{self, Failure};
use crate::request::Request;

/// Whether a name is a manifest's and not an operation's.
pub(crate) fn is_meant(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// A manifest that was asked for; there is none here.
pub(crate) enum Asked {}

impl Asked {
    /// Says that manifests need Linux.
    pub(crate) fn new(_: &Request, _: &Progress) -> Result<Asked, Failure> {
        Err(refusal())
    }

    /// What it calls itself.
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }

    /// Who compiled its kernels.
    pub(crate) fn compiled_by(&self) -> String {
        match *self {}
    }

    /// How many cores run a kernel.
    pub(crate) fn cores(&self) -> u32 {
        match *self {}
    }

    /// On how few cores every core would repeat its loops.
    pub(crate) fn few_cores(&self) -> Option<u32> {
        match *self {}
    }

    /// What a reader should know.
    pub(crate) fn notes(&self) -> Vec<String> {
        match *self {}
    }

    /// Puts its tensors on a device.
    pub(crate) fn prepare(&self, _: &mut Device) -> Result<Prepared, Failure> {
        match *self {}
    }

    /// What was asked for.
    pub(crate) fn echo(&self, _: &Request, _: RunOptions) -> record::Request {
        match *self {}
    }
}

/// No kernel is compiled here.
pub(crate) fn other_compiler(_: &Request, _: &str) -> Option<String> {
    None
}

fn refusal() -> Failure {
    Failure::new("a program manifest has C++ kernels, which run on Linux only")
        .help("operations run everywhere: `tilewright list`")
}
