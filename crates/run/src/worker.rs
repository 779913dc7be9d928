//! The worker's side: what becomes of a process that is about to run kernels.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use tilewright_metal::cpp::worker::{Traces, prepare};

pub(crate) use tilewright_metal::cpp::worker::Running;

use crate::channel::{self, Kind};
use crate::printed_streams::Captured;
use crate::{guard, process, sandbox};

/// The way to the supervisor.
#[derive(Debug)]
pub struct Link {
    stream: Mutex<UnixStream>,
}

/// What a worker inherits.
pub(crate) struct Inherited<'a> {
    pub(crate) supervisor: u32,
    pub(crate) stream: UnixStream,
    pub(crate) stdout: PipeWriter,
    pub(crate) stderr: PipeWriter,
    pub(crate) traces: &'a Traces,
    pub(crate) is_sandboxed: bool,
}

impl Inherited<'_> {
    /// Makes this process a worker: it ends with its supervisor, prints to it, and can reach
    /// nothing else.
    pub(crate) fn settle(self) -> io::Result<Link> {
        guard::join();
        if !process::end_with(self.supervisor) {
            process::exit(0);
        }
        let nothing = File::open("/dev/null")?;
        process::redirect(nothing.as_fd(), 0)?;
        process::redirect(self.stdout.as_fd(), 1)?;
        process::redirect(self.stderr.as_fd(), 2)?;
        drop((nothing, self.stdout, self.stderr));
        process::unbuffer_output();
        let stream = process::move_to(OwnedFd::from(self.stream), unlikely_descriptor())?;
        process::close_others(stream.as_raw_fd());
        self.traces.attach();
        prepare();
        if self.is_sandboxed {
            // Where the host has neither, kernels run without: `doctor` says so.
            let _support = sandbox::enter(stream.as_raw_fd());
        }
        Ok(Link { stream: Mutex::new(UnixStream::from(stream)) })
    }
}

impl Link {
    /// Says what the worker is at. Nobody may be listening any more.
    pub fn stage(&self, text: &str) {
        drop(channel::send(&mut *self.lock(), Kind::Stage, text.as_bytes()));
    }

    /// What kernels have printed so far.
    pub fn printed(&self) -> Captured {
        let mut stream = self.lock();
        let asked = channel::send(&mut *stream, Kind::Printed, b"");
        let answer = asked.and_then(|()| channel::receive(&mut *stream));
        answer.ok().and_then(|bytes| Captured::decode(&bytes)).unwrap_or_default()
    }

    /// Hands the record over.
    pub(crate) fn finish(&self, record: &[u8]) -> io::Result<()> {
        channel::send(&mut *self.lock(), Kind::Record, record)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, UnixStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that a kernel which closes descriptors one by one is unlikely to meet.
fn unlikely_descriptor() -> RawFd {
    let most = process::descriptors_max();
    let room = (most / 2 - 8).max(1) as u64;
    let chance = RandomState::new().hash_one(std::process::id()) % room;
    (most / 2) as RawFd + chance as RawFd
}
