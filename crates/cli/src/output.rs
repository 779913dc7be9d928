//! The way out: standard output and error, exit codes, and faults of the simulator itself.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use terminal_size::Width;
use tilewright_metal::{Tensor, tensor_io};
use tilewright_report::json;
use tilewright_report::record::{Failure, Run, Written};
use tilewright_report::terminal::{self, Paint, Prints};
use tilewright_run::{FrontEnd, Progress};

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

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// On terminals, and where the environment asks for them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colours {
    /// Whether a stream is coloured. NO_COLOR, CLICOLOR and CLICOLOR_FORCE are those of
    /// no-color.org and bixense.com/clicolors.
    fn are_on(self, is_terminal: bool) -> bool {
        let variable = |name| std::env::var(name).unwrap_or_default();
        let is_forced = || !matches!(variable("CLICOLOR_FORCE").as_str(), "" | "0");
        match self {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto if !variable("NO_COLOR").is_empty() => false,
            Colours::Auto if is_forced() => true,
            Colours::Auto => is_terminal && variable("CLICOLOR") != "0" && !is_dumb(),
        }
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
    pub fn new(is_json: bool, colours: Colours) -> Output {
        let (stdout, stderr) = (paint(&io::stdout(), colours), paint(&io::stderr(), colours));
        Output { is_json, stdout, stderr }
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

    /// Prints an answer that has but one form.
    pub fn verbatim(self, text: &str, status: Status) -> Status {
        print(text, status)
    }

    /// Does what a command is for. Why that could not be done is printed, be it a fault of the
    /// simulator itself.
    pub fn attempt(&self, work: impl FnOnce() -> Result<Status, Failure>) -> Status {
        tilewright_run::attempt(work).unwrap_or_else(|failure| self.failure(&failure))
    }

    /// Says something beside the answers, on standard error.
    pub fn remark(&self, text: &str) {
        let text = fitted(self.stderr, |_| format!("{text}\n"));
        // There is nobody left to tell.
        drop(io::stderr().write_all(text.as_bytes()));
    }

    /// Who shows runs that are under way.
    pub fn front(self) -> Arc<dyn FrontEnd> {
        Arc::new(Terminal { output: self, is_watched: io::stderr().is_terminal() && !is_dumb() })
    }

    /// A line that says how far a command is.
    pub fn progress(self) -> Progress {
        Progress::new(&self.front())
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
        // There is nobody left to tell.
        drop(io::stderr().write_all(text.as_bytes()));
        Status::CouldNotRun
    }
}

/// The terminal, on which a line says how far a run is; elsewhere nothing.
struct Terminal {
    output: Output,
    is_watched: bool,
}

impl FrontEnd for Terminal {
    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn progress(&self, line: &str) {
        // A command does not fail because nobody watches it.
        drop(io::stderr().write_all(format!("\r\x1b[2K{line}").as_bytes()));
    }

    fn abandon(&self, run: &Run) -> ! {
        if self.is_watched {
            // Nobody else comes to clear the line.
            self.progress("");
        }
        let text = |paint| terminal::run(run, Prints::First, paint);
        let status = self.output.answer(|| json::text(run), text, Status::Found);
        std::process::exit(status.code());
    }
}

/// Writes to standard output. A reader that has gone away is no fault; a full disk is one.
fn print(text: &str, status: Status) -> Status {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => status,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => status,
        Err(error) => {
            let failure = Failure::new(format!("standard output cannot be written: {error}"));
            Output::new(false, Colours::Auto).failure(&failure)
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

/// How text on a stream looks.
fn paint(stream: &impl IsTerminal, colours: Colours) -> Paint {
    let is_coloured = colours.are_on(stream.is_terminal());
    let size = stream.is_terminal().then(terminal_size::terminal_size).flatten();
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

/// Writes a file that a command was asked for.
pub fn write(path: &Path, format: &str, bytes: &[u8]) -> Result<Written, Failure> {
    let shown = path.display();
    let refuse = |error| Failure::new(format!("{shown} cannot be written: {error}"));
    std::fs::write(path, bytes).map_err(refuse)?;
    let (path, format) = (shown.to_string(), format.to_owned());
    Ok(Written { path, format, bytes: bytes.len() as u64 })
}

/// Saves a tensor, as the name of the file says: .npy or .safetensors.
pub fn save(path: &Path, tensor: &Tensor) -> Result<(), Failure> {
    tensor_io::save(path, tensor).map_err(|error| Failure::new(error.to_string()))
}
