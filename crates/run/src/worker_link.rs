//! What a worker process knows of its supervisor.

use std::sync::{Arc, OnceLock};

use crate::printed_streams::{Captured, Stream};
use crate::progress::FrontEnd;
use crate::record::{self, Printed, PrintedSource};
use crate::worker::Link;

static LINK: OnceLock<Arc<Link>> = OnceLock::new();

/// Makes this process a worker.
pub(crate) fn become_worker(link: Arc<Link>) {
    drop(LINK.set(link));
    crate::on_exhaustion(String::new(), false, crate::memory::EXHAUSTED);
}

/// Whether this process is a worker.
pub(crate) fn is_worker() -> bool {
    LINK.get().is_some()
}

/// What kernels have printed, if this is a worker.
pub(crate) fn worker_printed() -> Vec<Printed> {
    LINK.get().map_or_else(Vec::new, |link| printed(&link.printed()))
}

/// What kernels have printed, as records.
pub(crate) fn printed(captured: &Captured) -> Vec<Printed> {
    let streams =
        [(PrintedSource::Stdout, &captured.stdout), (PrintedSource::Stderr, &captured.stderr)];
    let printed = streams.into_iter().filter(|(_, stream)| !stream.bytes.is_empty());
    let record = |(source, stream): (PrintedSource, &Stream)| Printed {
        source,
        core: None,
        processor: None,
        cycle: None,
        omitted_lines: 0,
        text: stream.text(),
        omitted_bytes: stream.omitted_bytes,
    };
    printed.map(record).collect()
}

/// The front end of a worker: its supervisor.
pub(crate) struct Supervisor {
    pub(crate) link: Arc<Link>,
    pub(crate) is_watched: bool,
}

impl FrontEnd for Supervisor {
    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn progress(&self, line: &str) {
        self.link.stage(line);
    }

    fn abandon(&self, _: &record::Run) -> ! {
        unreachable!("a supervisor has a clock of its own")
    }
}
