//! Manifests and captures where C++ kernels cannot run: refused with a message.

use std::sync::Arc;

use tilewright_metal::{Capture, Device, Prepared, RunOptions};

use crate::progress::{FrontEnd, Progress};
use crate::record::{self, Failure};
use crate::request::Request;

/// Whether a name is a manifest's or a capture's and not an operation's.
pub(crate) fn is_meant(name: &str) -> bool {
    let extension = std::path::Path::new(name).extension();
    extension.is_some_and(|extension| extension == "toml" || extension == "cap")
}

/// A manifest or a capture that was asked for; there is none here.
pub(crate) enum ForeignSubject {}

impl ForeignSubject {
    /// Says that C++ kernels need Linux.
    pub(crate) fn new(_: &Request, _: &Progress) -> Result<ForeignSubject, Failure> {
        Err(refusal())
    }

    /// What it calls itself.
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }

    /// The seed that is used unless the request has one.
    pub(crate) fn seed(&self) -> u64 {
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

    /// A device with its tensors, and its programs.
    pub(crate) fn prepare(&self, _: &mut Device) -> Prepared {
        match *self {}
    }

    /// What was asked for.
    pub(crate) fn echo(&self, _: &Request, _: RunOptions) -> record::Request {
        match *self {}
    }
}

/// Says that captures need Linux.
pub fn capture(_: &Request, _: &Arc<dyn FrontEnd>) -> Result<Capture, Failure> {
    Err(refusal())
}

/// No kernel is compiled here.
pub(crate) fn other_compiler(_: &Request, _: &str) -> Option<String> {
    None
}

fn refusal() -> Failure {
    Failure::new("manifests and captures have C++ kernels, which run on Linux only")
        .help("operations run everywhere: `tilewright list`")
}
