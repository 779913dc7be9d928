//! How a host program ended: with its status, or with a fault of its own as a finding.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use tilewright_check::{Finding, host_crash, host_error};
use tilewright_metal::Site;
use tilewright_metal::cpp::Executable;
use tilewright_run::{HostProgramEnding, record};

use crate::buffers::site;
use crate::message::Line;

/// What a host program said before it ended.
#[derive(Default)]
pub(crate) struct LastWords {
    /// A signal, and the addresses of where it was.
    pub(crate) crash: Option<(i32, Vec<usize>)>,
    /// Where it was when nobody caught an exception.
    pub(crate) stack: Vec<usize>,
    /// What the exception says, and its line if it knows.
    pub(crate) uncaught: Option<(String, Option<Line>)>,
}

impl LastWords {
    /// How the program ended that exits like this.
    pub(crate) fn ending(&self, program: &Executable, status: ExitStatus) -> HostProgramEnding {
        match (self.finding(program, status), status.code()) {
            (Some(finding), _) => {
                HostProgramEnding::Fault(Box::new(record::Finding::from(&finding)))
            }
            (None, Some(code)) => HostProgramEnding::Exit(code),
            (None, None) => unreachable!("a process that has ended exited, or a signal ended it"),
        }
    }

    /// The finding that the end is, if it is one.
    fn finding(&self, program: &Executable, status: ExitStatus) -> Option<Finding> {
        if let Some((what, line)) = &self.uncaught {
            let known = line.as_ref().map(site);
            return Some(host_error(what, known.or_else(|| place(program, &self.stack))));
        }
        if let Some((signal, addresses)) = &self.crash {
            return Some(host_crash(does(*signal), place(program, addresses)));
        }
        status.signal().map(|signal| host_crash(does(signal), None))
    }
}

fn place(program: &Executable, addresses: &[usize]) -> Option<Site> {
    program.site(addresses)
}

/// What a signal says of the program that it ends.
fn does(signal: i32) -> &'static str {
    match signal {
        4 => "runs into an instruction that this computer does not have (SIGILL)",
        6 => "aborts (SIGABRT)",
        7 => "uses memory that is not there (SIGBUS)",
        8 => "divides by zero, or overflows (SIGFPE)",
        9 => "is killed (SIGKILL)",
        11 => "uses memory that is not its own (SIGSEGV)",
        15 => "is told to end (SIGTERM)",
        _ => "is ended by a signal",
    }
}
