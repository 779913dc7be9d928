//! The way out: standard output and error, exit codes, and faults of the simulator itself.

use std::io::{self, IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use terminal_size::Width;
use tilewright_report::json;
use tilewright_report::record::{Failure, Written};
use tilewright_report::terminal::{self, Paint};

#[cfg(target_os = "linux")]
mod worker;
#[cfg(not(target_os = "linux"))]
#[path = "output/worker_elsewhere.rs"]
mod worker;

pub use worker::printed;
#[cfg(target_os = "linux")]
pub use worker::{Collected, become_worker, collected, is_worker, printed_records};

/// A terminal of fewer columns does not know its size, or cannot be served.
const COLUMNS_LEAST: u16 = 20;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing is wrong.
    Clean,
    /// Findings, or values out of bound.
    Found,
    /// The command could not run.
    CouldNotRun,
}

impl Status {
    /// The exit code.
    pub fn code(self) -> i32 {
        match self {
            Status::Clean => 0,
            Status::Found => 1,
            Status::CouldNotRun => 2,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code() as u8)
    }
}

/// Where a command's answer goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    is_json: bool,
    stdout: Paint,
    stderr: Paint,
}

impl Output {
    /// An output for text or JSON. What the streams are is asked here: a worker has others.
    pub fn new(is_json: bool) -> Output {
        Output { is_json, stdout: paint(&io::stdout()), stderr: paint(&io::stderr()) }
    }

    /// Prints an answer in the form asked for, and passes the status on.
    pub fn answer(
        &self,
        json: impl FnOnce() -> String,
        text: impl FnOnce(Paint) -> String,
        status: Status,
    ) -> Status {
        let answer = if self.is_json { json() } else { fitted(self.stdout, text) };
        print(&answer, status)
    }

    /// Does what a command is for. Why that could not be done is printed, be it a fault of the
    /// simulator itself.
    pub fn attempt(&self, work: impl FnOnce() -> Result<Status, Failure>) -> Status {
        let all = || work().unwrap_or_else(|failure| self.failure(&failure));
        catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(|_| self.failure(&fault()))
    }

    /// Makes the answer for a computer whose memory is exhausted while there is some.
    pub fn prepare_for_exhaustion(&self) {
        let failure = Failure::new("this computer's memory is exhausted")
            .help("give smaller sizes or fewer cores");
        let (is_json, stderr) = (self.is_json, self.stderr);
        let text = match is_json {
            true => json::text(&failure),
            false => fitted(stderr, |paint| terminal::failure(&failure, paint)),
        };
        tilewright_run::on_exhaustion(text, is_json, Status::CouldNotRun.code());
    }

    /// Prints why the command could not run.
    pub fn failure(&self, failure: &Failure) -> Status {
        if self.is_json {
            return print(&json::text(failure), Status::CouldNotRun);
        }
        let text = fitted(self.stderr, |paint| terminal::failure(failure, paint));
        if !worker::print_error(&text) {
            // There is nobody left to tell.
            drop(io::stderr().write_all(text.as_bytes()));
        }
        Status::CouldNotRun
    }
}

/// A line on a terminal that says how far a command is, gone when dropped; elsewhere nothing.
pub struct Progress {
    is_shown: bool,
    is_drawn: AtomicBool,
    started: Instant,
}

impl Progress {
    /// No line yet.
    pub fn new() -> Progress {
        let stderr = io::stderr();
        #[expect(clippy::disallowed_methods, reason = "nobody wants a bar for a moment")]
        let started = Instant::now();
        let is_shown = worker::is_shown().unwrap_or_else(|| stderr.is_terminal() && !is_dumb());
        Progress { is_shown, is_drawn: AtomicBool::new(false), started }
    }

    /// Whether there is anything to draw on.
    pub fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Draws what is under way and for how long, once it has taken a second.
    pub fn stage(&self, what: &str) {
        if !self.is_early() {
            self.show(&format!("{what}, {} s", self.started.elapsed().as_secs()));
        }
    }

    /// Draws how many of all are done, once it has taken a second.
    pub fn bar(&self, what: &str, done: u64, all: u64) {
        const COLUMNS: u64 = 30;
        if self.is_early() {
            return;
        }
        let full = (done * COLUMNS / all.max(1)).min(COLUMNS) as usize;
        let empty = COLUMNS as usize - full;
        self.show(&format!("[{}{}] {done} of {all} {what}", "=".repeat(full), " ".repeat(empty)));
    }

    fn is_early(&self) -> bool {
        self.started.elapsed() < Duration::from_secs(1)
    }

    /// Replaces the line.
    pub fn show(&self, text: &str) {
        if self.is_shown {
            self.is_drawn.store(true, Ordering::Relaxed);
            if worker::stage(text) {
                return;
            }
            // A command does not fail because nobody watches it.
            drop(io::stderr().write_all(format!("\r\x1b[2K{text}").as_bytes()));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_drawn.load(Ordering::Relaxed) {
            self.show("");
        }
    }
}

/// Writes to standard output. A reader that has gone away is no fault; a full disk is one.
fn print(text: &str, status: Status) -> Status {
    if worker::print(text) {
        return status;
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status,
        Err(error) => {
            let failure = Failure::new(format!("standard output cannot be written: {error}"));
            Output::new(false).failure(&failure)
        }
    }
}

/// A text as wide as it may be.
fn fitted(paint: Paint, text: impl FnOnce(Paint) -> String) -> String {
    match paint {
        Paint::Plain | Paint::Colour => text(paint),
        Paint::Terminal { columns, .. } => terminal::wrapped(&text(paint), columns),
    }
}

/// Colour on terminals, unless NO_COLOR is set (no-color.org) or the terminal has none.
fn paint(stream: &impl IsTerminal) -> Paint {
    if !stream.is_terminal() {
        return Paint::Plain;
    }
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_coloured = !is_set("NO_COLOR") && !is_dumb();
    let size = terminal_size::terminal_size();
    match size.filter(|(Width(columns), _)| *columns >= COLUMNS_LEAST) {
        Some((Width(columns), _)) => Paint::Terminal { columns, is_coloured },
        None if is_coloured => Paint::Colour,
        None => Paint::Plain,
    }
}

/// Whether the terminal takes no control codes.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// The first panic of this process outside kernels, whose panics are findings.
static FAULT: Mutex<Option<String>> = Mutex::new(None);

/// Keeps panics from the terminal; `Output::attempt` tells them as any other failure.
pub fn catch_faults() {
    std::panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "no message".to_owned());
        let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
        let text = format!("{text}{}", place.unwrap_or_default());
        FAULT.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
}

/// A panic as a failure.
fn fault() -> Failure {
    let first = FAULT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let what = first.unwrap_or_else(|| "no message".to_owned());
    Failure::new(format!("the simulator itself failed: {what}"))
        .help("this is a bug of tilewright; please report it with the command you gave")
}

/// Writes a file that a command was asked for.
pub fn write(path: &Path, format: &str, bytes: &[u8]) -> Result<Written, Failure> {
    let shown = path.display();
    if !worker::write(bytes) {
        write_file(path, bytes)?;
    }
    let (path, format) = (shown.to_string(), format.to_owned());
    Ok(Written { path, format, bytes: bytes.len() as u64 })
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let refuse = |error| Failure::new(format!("{} cannot be written: {error}", path.display()));
    std::fs::write(path, bytes).map_err(refuse)
}
