//! Starts a worker, watches it, and says how it ended.

use std::io::{self, PipeReader};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tilewright_check::{Loss, Lost};
use tilewright_metal::cpp::worker::{Progress, Traces, WHERE};

use crate::channel::{self, Inbox, Kind};
use crate::inherited_locks::{self, ATTEMPTS_MAX, IS_STUCK};
use crate::memory;
use crate::pipeline::{compute_tables, warm_up};
use crate::printed_streams::Captured;
use crate::process::{self, Child, Status};
use crate::taken::Taken;
use crate::worker::{Inherited, Link};
use crate::worker_clock::{Overrun, WorkerClock};

/// How often a worker is looked at.
const PERIOD: Duration = Duration::from_millis(50);
/// How long a worker is asked where its kernels are.
const QUESTION: Duration = Duration::from_secs(2);
/// How long a worker may take to leave after it has handed over its record.
const LEAVE: Duration = Duration::from_secs(2);
/// The exit code of a worker that could not even begin.
const NOT_BEGUN: i32 = 70;
/// Memory that a kernel may take between two of its calls. A processor of the device has a
/// megabyte and a half; what the simulator takes, it takes at calls.
const KERNEL_BYTES_MAX: u64 = 1 << 30;

/// Whether this process has started a worker before.
static HAS_WORKED: AtomicBool = AtomicBool::new(false);

/// What a worker may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The host's time for one run.
    pub timeout: Option<Duration>,
    /// The host's time without a call or a step of any kernel.
    pub silence: Option<Duration>,
    /// How many runs there are.
    pub runs: u64,
    /// The host's memory.
    pub memory_bytes: Option<u64>,
}

/// What came of a worker.
#[derive(Debug)]
pub struct WorkerOutcome {
    /// How it ended.
    pub ending: WorkerEnding,
    /// What its kernels printed.
    pub printed: Captured,
}

/// How a worker ended.
#[derive(Debug, PartialEq, Eq)]
pub enum WorkerEnding {
    /// It handed over its record.
    Finished(Vec<u8>),
    /// Its kernels took it down, or did not end.
    Lost(Lost),
    /// It took more memory than there is.
    OutOfMemory(Lost),
    /// It ended without any kernel.
    Failed(String),
}

/// Does work in a process of its own, which may run kernels and ends with this one. `stage` is
/// called with what it says it is at.
pub fn supervise(
    limits: Limits,
    is_sandboxed: bool,
    mut stage: impl FnMut(&str),
    work: impl FnOnce(Arc<Link>) -> Vec<u8>,
) -> io::Result<WorkerOutcome> {
    for attempt in 0..ATTEMPTS_MAX {
        let has_threads = inherited_locks::has_other_threads();
        if has_threads {
            // A worker could inherit tables that another thread is still computing.
            compute_tables();
        } else if HAS_WORKED.swap(true, Ordering::Relaxed) {
            // The second worker and those after it need not begin where the first one did.
            warm_up();
        }
        let traces = Traces::create()?;
        let (stream, theirs) = UnixStream::pair()?;
        let (stdout, their_stdout) = io::pipe()?;
        let (stderr, their_stderr) = io::pipe()?;
        let supervisor = std::process::id();
        let killed_before = memory::processes_killed();
        let Some(child) = process::fork()? else {
            if has_threads && !inherited_locks::are_free(attempt) {
                process::exit(IS_STUCK);
            }
            let inherited = Inherited {
                supervisor,
                stream: theirs,
                stdout: their_stdout,
                stderr: their_stderr,
                traces: &traces,
                is_sandboxed,
            };
            serve(inherited, work)
        };
        drop((theirs, their_stdout, their_stderr));
        for end in [stream.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            process::set_nonblocking(end)?;
        }
        let mut watched = Watched {
            child,
            stream,
            stdout,
            stderr,
            inbox: Inbox::default(),
            printed: Captured::default(),
            traces: &traces,
            record: None,
            is_garbled: false,
        };
        let ending = watched.watch(limits, killed_before, &mut stage);
        watched.child.kill();
        watched.drain(&mut stage);
        if let Some(ending) = ending {
            return Ok(WorkerOutcome { ending, printed: watched.printed });
        }
    }
    Err(io::Error::other("other threads of this process hold its locks all the time"))
}

/// What a worker does from its beginning to its end.
fn serve(inherited: Inherited<'_>, work: impl FnOnce(Arc<Link>) -> Vec<u8>) -> ! {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let link = Arc::new(inherited.settle()?);
        let record = work(Arc::clone(&link));
        link.finish(&record)
    }));
    process::exit(if matches!(done, Ok(Ok(()))) { 0 } else { NOT_BEGUN })
}

/// A worker that is watched.
struct Watched<'a> {
    child: Child,
    stream: UnixStream,
    stdout: PipeReader,
    stderr: PipeReader,
    inbox: Inbox,
    printed: Captured,
    traces: &'a Traces,
    record: Option<Vec<u8>>,
    is_garbled: bool,
}

impl Watched<'_> {
    /// How it ends; nothing for one that has to be replaced (`inherited_locks`).
    fn watch(
        &mut self,
        limits: Limits,
        killed: u64,
        stage: &mut dyn FnMut(&str),
    ) -> Option<WorkerEnding> {
        let started = now();
        let mut clock = WorkerClock::start(limits, started);
        let mut taken = Taken::by(self.child.id);
        let mut growth = Growth::default();
        loop {
            self.drain(stage);
            if self.record.is_some() {
                return Some(self.finished());
            }
            if let Some(status) = self.child.try_wait() {
                // What it sent last may have come since.
                self.drain(stage);
                return match self.record.take() {
                    Some(record) => Some(WorkerEnding::Finished(record)),
                    None if status == Status::Exited(IS_STUCK) && self.is_untouched() => None,
                    None => Some(self.ended(status, killed)),
                };
            }
            let used = memory::used_bytes(self.child.id).unwrap_or(0);
            if growth.look(self.traces.progress(), used) > KERNEL_BYTES_MAX {
                return Some(self.overgrown());
            }
            if limits.memory_bytes.is_some_and(|most| used > most) {
                self.child.kill();
                return Some(WorkerEnding::OutOfMemory(self.lost(Loss::Ended(String::new()))));
            }
            if let Some(overrun) = clock.look(self.traces.progress(), started + taken.look(now())) {
                return Some(self.overrun(overrun));
            }
            let mut ends = vec![self.stdout.as_raw_fd(), self.stderr.as_raw_fd()];
            ends.push(self.stream.as_raw_fd());
            ends.extend(self.child.handle());
            process::poll(&ends, PERIOD);
            if self.is_garbled {
                // Nothing more can be understood, and its end of the stream may be gone.
                std::thread::sleep(PERIOD / 10);
            }
        }
    }

    /// Takes whatever has come.
    fn drain(&mut self, stage: &mut dyn FnMut(&str)) {
        self.printed.stdout.drain(&mut self.stdout);
        self.printed.stderr.drain(&mut self.stderr);
        if self.is_garbled {
            return;
        }
        let is_open = self.inbox.drain(&mut self.stream);
        loop {
            match self.inbox.next() {
                Some(Ok((Kind::Stage, text))) => stage(&String::from_utf8_lossy(&text)),
                Some(Ok((Kind::Printed, _))) => self.answer(),
                Some(Ok((Kind::Record, record))) => self.record = Some(record),
                Some(Err(channel::Garbled)) => self.is_garbled = true,
                None => break,
            }
            if self.is_garbled {
                return;
            }
        }
        self.is_garbled = !is_open;
    }

    /// Says what has been printed; a worker that does not listen gets no answer.
    fn answer(&mut self) {
        self.printed.stdout.drain(&mut self.stdout);
        self.printed.stderr.drain(&mut self.stderr);
        let answer = self.printed.encode();
        if self.stream.set_nonblocking(false).is_ok() {
            drop(self.stream.set_write_timeout(Some(LEAVE)));
            drop(channel::send(&mut self.stream, Kind::Printed, &answer));
            drop(self.stream.set_nonblocking(true));
        }
    }

    /// Lets a worker leave that has done its work; threads of kernels may keep it from that.
    fn finished(&mut self) -> WorkerEnding {
        let end = now() + LEAVE;
        while self.child.try_wait().is_none() && now() < end {
            let ends: Vec<_> = self.child.handle().into_iter().collect();
            process::poll(&ends, PERIOD.min(LEAVE));
        }
        self.child.kill();
        WorkerEnding::Finished(self.record.take().unwrap_or_default())
    }

    /// Ends kernels that take more memory than any can need.
    fn overgrown(&mut self) -> WorkerEnding {
        let what = format!("takes more than {} GiB of memory", KERNEL_BYTES_MAX >> 30);
        self.end_where_they_are(Loss::Ended(what))
    }

    fn overrun(&mut self, overrun: Overrun) -> WorkerEnding {
        self.end_where_they_are(match overrun {
            Overrun::Silence(time) => Loss::Silent(time),
            Overrun::Time(time) => Loss::TimeLimit(time),
        })
    }

    /// Asks where the kernels are, and ends them.
    fn end_where_they_are(&mut self, loss: Loss) -> WorkerEnding {
        let before = self.traces.progress();
        self.child.signal_threads(WHERE);
        let end = now() + QUESTION;
        let is_told =
            || self.traces.progress().calls != before.calls || self.traces.cause().is_some();
        while !is_told() && now() < end {
            std::thread::sleep(PERIOD / 10);
        }
        let is_here = self.traces.progress().calls != before.calls;
        self.child.kill();
        let mut lost = self.lost(loss);
        if is_here && lost.at.is_none() {
            lost.at = lost.last.first().copied();
        }
        WorkerEnding::Lost(lost)
    }

    /// Whether no kernel has come to run yet.
    fn is_untouched(&self) -> bool {
        let progress = self.traces.progress();
        progress.calls == 0 && progress.executing == 0 && !progress.is_loading
    }

    /// A worker that ended without a record.
    fn ended(&self, status: Status, killed: u64) -> WorkerEnding {
        if let Some(cause) = self.traces.cause().filter(|cause| !cause.what.is_empty()) {
            return WorkerEnding::Lost(self.lost(Loss::Ended(cause.what)));
        }
        let progress = self.traces.progress();
        let is_kernels = !self.is_untouched();
        let said = self.printed.stderr.text();
        let is_exhausted = status == Status::Exited(memory::EXHAUSTED)
            || said.lines().any(|line| line.starts_with("memory allocation of"))
            || (status == Status::Killed(libc::SIGKILL) && memory::processes_killed() > killed);
        if is_exhausted {
            return WorkerEnding::OutOfMemory(self.lost(Loss::Ended(String::new())));
        }
        let what = match status {
            Status::Exited(0) if progress.executing == 0 => {
                "takes away the worker's way to hand over its record".to_owned()
            }
            Status::Exited(code) if is_kernels => format!("ends the process with code {code}"),
            Status::Exited(code) => format!("the worker ended with code {code}"),
            Status::Killed(libc::SIGSEGV | libc::SIGBUS) => {
                "destroys the memory of its process (SIGSEGV)".to_owned()
            }
            Status::Killed(libc::SIGABRT) => "has its process abort (SIGABRT)".to_owned(),
            Status::Killed(libc::SIGSYS) => "makes a system call that kernels may not".to_owned(),
            Status::Killed(libc::SIGKILL) => "is killed (SIGKILL)".to_owned(),
            Status::Killed(signal) => format!("has its process end by signal {signal}"),
        };
        if is_kernels {
            WorkerEnding::Lost(self.lost(Loss::Ended(what)))
        } else {
            WorkerEnding::Failed(what)
        }
    }

    fn lost(&self, loss: Loss) -> Lost {
        let mut at = self.traces.cause().and_then(|cause| cause.at);
        if at.is_none() && self.traces.progress().is_loading {
            at = self.traces.loading();
        }
        Lost { loss, at, last: self.traces.last() }
    }
}

/// How much memory a worker has taken while its kernels made no call.
#[derive(Default)]
struct Growth {
    calls: u64,
    /// Bytes in use when the last call was seen.
    before: u64,
}

impl Growth {
    fn look(&mut self, progress: Progress, used: u64) -> u64 {
        let is_inside = progress.executing > 0 || progress.is_loading;
        if progress.calls != self.calls || !is_inside {
            (self.calls, self.before) = (progress.calls, used);
        }
        used.saturating_sub(self.before)
    }
}

#[expect(clippy::disallowed_methods, reason = "only a clock notices a kernel that never ends")]
fn now() -> Instant {
    Instant::now()
}
