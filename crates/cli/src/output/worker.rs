//! The output of a worker: collected, and handed to its supervisor, which prints and writes it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tilewright_report::record::{Failure, Printed, PrintedSource};
use tilewright_run::{Captured, Link};

use super::{Progress, Status, print as print_out, write_file};

/// What a worker would print and write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Collected {
    stdout: String,
    stderr: String,
    files: Vec<Vec<u8>>,
}

static LINK: OnceLock<Arc<Link>> = OnceLock::new();
static COLLECTED: Mutex<Collected> =
    Mutex::new(Collected { stdout: String::new(), stderr: String::new(), files: Vec::new() });
/// Whether the supervisor shows how far the work is.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Nothing is printed or written by this process from here on.
pub fn become_worker(link: Arc<Link>, is_shown: bool) {
    IS_SHOWN.store(is_shown, Ordering::Relaxed);
    drop(LINK.set(link));
    tilewright_run::on_exhaustion(String::new(), false, tilewright_run::memory::EXHAUSTED);
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    LINK.get().is_some()
}

/// What would have been printed and written.
pub fn collected() -> Collected {
    std::mem::take(&mut *COLLECTED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What kernels have printed, if this is a worker.
pub fn printed() -> Vec<Printed> {
    LINK.get().map_or_else(Vec::new, |link| printed_records(&link.printed()))
}

/// What kernels have printed, as records.
pub fn printed_records(captured: &Captured) -> Vec<Printed> {
    let streams =
        [(PrintedSource::Stdout, &captured.stdout), (PrintedSource::Stderr, &captured.stderr)];
    let printed = streams.into_iter().filter(|(_, stream)| !stream.bytes.is_empty());
    let record = |(source, stream): (PrintedSource, &tilewright_run::Stream)| Printed {
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

pub(super) fn is_shown() -> Option<bool> {
    LINK.get().map(|_| IS_SHOWN.load(Ordering::Relaxed))
}

pub(super) fn stage(text: &str) -> bool {
    LINK.get().inspect(|link| link.stage(text)).is_some()
}

pub(super) fn print(text: &str) -> bool {
    collect(|all| all.stdout.push_str(text))
}

pub(super) fn print_error(text: &str) -> bool {
    collect(|all| all.stderr.push_str(text))
}

pub(super) fn write(bytes: &[u8]) -> bool {
    collect(|all| all.files.push(bytes.to_vec()))
}

/// Adds to what is collected, if this is a worker.
fn collect(add: impl FnOnce(&mut Collected)) -> bool {
    let is_worker = LINK.get().is_some();
    if is_worker {
        add(&mut COLLECTED.lock().unwrap_or_else(PoisonError::into_inner));
    }
    is_worker
}

const STATUSES: [Status; 3] = [Status::Clean, Status::Found, Status::CouldNotRun];

impl Collected {
    /// As bytes, with the status that the command is to end with.
    pub fn encode(&self, status: Status) -> Vec<u8> {
        let mut all = vec![status.code() as u8];
        let texts = [self.stdout.as_bytes(), self.stderr.as_bytes()];
        for piece in texts.into_iter().chain(self.files.iter().map(Vec::as_slice)) {
            all.extend((piece.len() as u64).to_le_bytes());
            all.extend(piece);
        }
        all
    }

    /// From bytes; nothing if they are none of ours, or there are more files than there may be.
    pub fn decode(bytes: &[u8], files_max: usize) -> Option<(Collected, Status)> {
        let (code, mut rest) = bytes.split_first()?;
        let status = STATUSES.into_iter().find(|status| status.code() == i32::from(*code))?;
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (piece, behind) = behind.split_at_checked(length)?;
            pieces.push(piece.to_vec());
            rest = behind;
        }
        let mut pieces = pieces.into_iter();
        let stdout = String::from_utf8(pieces.next()?).ok()?;
        let stderr = String::from_utf8(pieces.next()?).ok()?;
        let files: Vec<Vec<u8>> = pieces.collect();
        (files.len() <= files_max).then_some((Collected { stdout, stderr, files }, status))
    }

    /// Writes the files to where they belong and prints the rest.
    pub fn print(self, files: &[PathBuf], status: Status) -> Result<Status, Failure> {
        for (bytes, path) in self.files.iter().zip(files) {
            write_file(path, bytes)?;
        }
        // Nobody else comes to clear the line.
        Progress::new().show("");
        drop(io::stderr().write_all(self.stderr.as_bytes()));
        if self.stdout.is_empty() { Ok(status) } else { Ok(print_out(&self.stdout, status)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_collected_arrives() {
        let all = || Collected {
            stdout: "out".to_owned(),
            stderr: "err".to_owned(),
            files: vec![vec![1, 2], Vec::new()],
        };
        let bytes = all().encode(Status::Found);
        assert_eq!(Collected::decode(&bytes, 2), Some((all(), Status::Found)));
        assert_eq!(Collected::decode(&bytes, 1), None, "a file that nobody asked for");
        assert_eq!(Collected::decode(&bytes[..bytes.len() - 1], 2), None);
        assert_eq!(Collected::decode(b"", 2), None);
    }
}
