//! A process that runs C++ kernels for another one, so that what they do to it ends nothing else.
//!
//! Most faults of kernels end the run and not the process (`signals`). What is left, such as a
//! heap that a kernel has destroyed or a loop in a library, is told by whoever watches.

#![allow(unsafe_code, reason = "waits for a process through the host's own call")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::traces::{TraceFile, VARIABLE};

pub use super::traces::Trace;

/// How often the worker is looked at.
const PERIOD: Duration = Duration::from_millis(50);

/// How a worker ended.
#[derive(Debug)]
pub enum WorkerEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// In another way.
    Lost(Lost),
}

/// A worker that did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What happened, in a few words.
    pub what: String,
    /// The last calls of kernels, the latest first.
    pub last: Vec<Trace>,
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Runs this process's own command line once more, as a worker, and watches it.
pub fn supervise_self(silence: Duration) -> io::Result<WorkerEnd> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    supervise(command, silence)
}

/// Runs a command as a worker and watches it. A worker whose kernels neither call nor step for
/// `silence` is ended.
pub fn supervise(mut command: Command, silence: Duration) -> io::Result<WorkerEnd> {
    let traces = TraceFile::create()?;
    let mut child = command.env(VARIABLE, traces.descriptor()).spawn()?;
    let handle = handle(&child);
    let periods_max = silence.as_millis() / PERIOD.as_millis();
    let (mut seen, mut silent_periods) = (0, 0);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ended(status, &traces));
        }
        let (calls, executing) = traces.counters();
        silent_periods = if calls == seen && executing > 0 { silent_periods + 1 } else { 0 };
        seen = calls;
        if silent_periods > periods_max {
            end(&mut child)?;
            let what = format!("its kernel says nothing for {} s", silence.as_secs_f32());
            return Ok(WorkerEnd::Lost(Lost { what, last: traces.last() }));
        }
        wait(&handle);
    }
}

/// Something to wait for the end of a process with, where the host has it (Linux 5.3).
fn handle(child: &Child) -> Option<OwnedFd> {
    let process = libc::c_long::from(child.id());
    // SAFETY: a call that takes two numbers.
    let found = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let found = i32::try_from(found).ok().filter(|found| *found >= 0)?;
    // SAFETY: a descriptor that the host has just made for us.
    Some(unsafe { OwnedFd::from_raw_fd(found) })
}

/// Waits for a period, or until the process ends.
fn wait(handle: &Option<OwnedFd>) {
    let Some(handle) = handle else { return std::thread::sleep(PERIOD) };
    let mut wanted = libc::pollfd { fd: handle.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which is ours. A signal may end it early, which does no harm.
    unsafe { libc::poll(&raw mut wanted, 1, PERIOD.as_millis() as libc::c_int) };
}

fn ended(status: ExitStatus, traces: &TraceFile) -> WorkerEnd {
    let (_, executing) = traces.counters();
    let what = match (status.code(), status.signal()) {
        (Some(code), _) if executing == 0 => return WorkerEnd::Exited(code),
        (Some(code), _) => format!("its kernel ends the process with code {code}"),
        (None, Some(libc::SIGSEGV)) => "its memory is destroyed (SIGSEGV)".to_owned(),
        (None, Some(libc::SIGABRT)) => "it aborts (SIGABRT)".to_owned(),
        (None, Some(libc::SIGKILL)) => "somebody kills it (SIGKILL)".to_owned(),
        (None, Some(signal)) => format!("signal {signal} ends it"),
        (None, None) => "it ends without a reason".to_owned(),
    };
    WorkerEnd::Lost(Lost { what, last: traces.last() })
}

fn end(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(|_| ())
}
