//! The last calls of kernels, in memory that a supervising process reads when this one is gone.
//!
//! Written by a worker only. One record a call: who, and at which line. The memory is a file
//! without a name, so that nothing is left of it however the processes end.

#![allow(unsafe_code, reason = "a file that two processes share as memory")]

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tilewright_machine::{CoreCoord, Processor, ProcessorId, Site};

use super::intern::intern;

/// The variable that gives a worker the file's descriptor, which it has inherited.
pub(super) const VARIABLE: &str = "TILEWRIGHT_TRACES";

const RECORDS: usize = 64;
const RECORD_BYTES: usize = 256;
/// Bytes of a record before the file's name.
const FIELD_BYTES: usize = 16;
/// Two counters and room to spare.
const HEADER_BYTES: usize = 64;
const FILE_BYTES: usize = HEADER_BYTES + RECORDS * RECORD_BYTES;

/// A call of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Who called.
    pub processor: ProcessorId,
    /// The line.
    pub site: Site,
}

/// The worker's side.
struct Traces {
    start: NonNull<u8>,
}

// SAFETY: the counters are atomic; records that two threads write at once may be garbled, and are
// read with that in mind.
unsafe impl Send for Traces {}
// SAFETY: as above.
unsafe impl Sync for Traces {}

static ATTACHED: OnceLock<Option<Traces>> = OnceLock::new();

/// The file, if this process is a worker that was given one.
fn attached() -> Option<&'static Traces> {
    let open = || Traces::open(std::env::var(VARIABLE).ok()?.parse().ok()?).ok();
    ATTACHED.get_or_init(open).as_ref()
}

/// Notes a call.
pub(super) fn note(processor: ProcessorId, site: Site) {
    if let Some(traces) = attached() {
        traces.write(processor, site);
    }
}

/// Notes that a kernel's code is executed from here on, or no longer.
pub(super) fn executing(is_executing: bool) {
    if let Some(traces) = attached() {
        let change = if is_executing { 1 } else { u64::MAX };
        traces.counter(1).fetch_add(change, Ordering::Relaxed);
    }
}

impl Traces {
    fn open(descriptor: i32) -> io::Result<Traces> {
        // SAFETY: plain data.
        let mut about: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: asks about a descriptor, which may be anybody's or nobody's.
        let is_known = unsafe { libc::fstat(descriptor, &raw mut about) } == 0;
        if !is_known || about.st_size != FILE_BYTES as i64 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a file that is as long as this.
        let start = unsafe {
            let anywhere = std::ptr::null_mut();
            libc::mmap(anywhere, FILE_BYTES, access, libc::MAP_SHARED, descriptor, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast()).map(|start| Traces { start }).ok_or(io::ErrorKind::Other.into())
    }

    fn counter(&self, index: usize) -> &AtomicU64 {
        // SAFETY: in the header, aligned, and only ever used as an atomic.
        unsafe { self.start.cast::<AtomicU64>().add(index).as_ref() }
    }

    fn write(&self, id: ProcessorId, site: Site) {
        let turn = self.counter(0).fetch_add(1, Ordering::Relaxed) as usize;
        let record = encode(id, site);
        // SAFETY: one record inside the mapping.
        unsafe {
            let to = self.start.add(HEADER_BYTES + turn % RECORDS * RECORD_BYTES);
            std::ptr::copy_nonoverlapping(record.as_ptr(), to.as_ptr(), RECORD_BYTES);
        }
    }
}

/// The end of a long name says more than its beginning.
fn encode(id: ProcessorId, site: Site) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    let (core, processor) = (id.core, id.processor as u8);
    let name = site.file.as_bytes();
    let name = &name[name.len().saturating_sub(RECORD_BYTES - FIELD_BYTES)..];
    record[..4].copy_from_slice(&[core.x, core.y, processor, name.len() as u8]);
    record[4..8].copy_from_slice(&site.line.to_le_bytes());
    record[8..12].copy_from_slice(&site.column.to_le_bytes());
    record[FIELD_BYTES..FIELD_BYTES + name.len()].copy_from_slice(name);
    record
}

fn decode(record: &[u8]) -> Option<Trace> {
    let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
    let core = CoreCoord::new(*record.first()?, *record.get(1)?);
    let processor = *Processor::ALL.get(usize::from(*record.get(2)?))?;
    let length = usize::from(*record.get(3)?);
    let name = record.get(FIELD_BYTES..FIELD_BYTES + length)?;
    let file = intern(&String::from_utf8_lossy(name));
    let site = Site::new(file, word(4)?, word(8)?);
    Some(Trace { processor: ProcessorId { core, processor }, site })
}

/// The supervisor's side: a file that is read while the worker writes it.
pub(super) struct TraceFile {
    file: File,
}

impl TraceFile {
    /// A file that processes started from here on inherit.
    pub(super) fn create() -> io::Result<TraceFile> {
        // SAFETY: a name that ends in zero; no flag, so that the descriptor is inherited.
        let made = unsafe { libc::memfd_create(c"tilewright-traces".as_ptr(), 0) };
        if made < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a descriptor that the host has just made for us.
        let file = unsafe { File::from_raw_fd(made) };
        file.set_len(FILE_BYTES as u64)?;
        Ok(TraceFile { file })
    }

    /// What a worker finds it by.
    pub(super) fn descriptor(&self) -> String {
        self.file.as_raw_fd().to_string()
    }

    fn word(&self, index: u64) -> u64 {
        let mut bytes = [0; 8];
        match self.file.read_exact_at(&mut bytes, 8 * index) {
            Ok(()) => u64::from_le_bytes(bytes),
            Err(_) => 0,
        }
    }

    /// Calls so far, and kernels whose code is being executed.
    pub(super) fn counters(&self) -> (u64, u64) {
        (self.word(0), self.word(1))
    }

    /// The last calls, the latest first.
    pub(super) fn last(&self) -> Vec<Trace> {
        let calls = self.word(0);
        let turns = (calls.saturating_sub(RECORDS as u64)..calls).rev();
        turns
            .filter_map(|turn| {
                let mut record = [0; RECORD_BYTES];
                let at = HEADER_BYTES as u64 + turn % RECORDS as u64 * RECORD_BYTES as u64;
                self.file.read_exact_at(&mut record, at).ok()?;
                decode(&record)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_notes_is_read_by_its_supervisor() {
        let file = TraceFile::create().expect("memory");
        let traces = Traces::open(file.descriptor().parse().expect("a number")).expect("open");
        let processor = ProcessorId { core: CoreCoord::new(1, 2), processor: Processor::Reader };
        let site = Site::new("kernels/reader.cpp", 7, 1);
        traces.write(processor, site);
        assert_eq!((file.counters(), file.last()), ((1, 0), vec![Trace { processor, site }]));
        assert!(Traces::open(-1).is_err() && Traces::open(0).is_err(), "no file of ours");
    }

    #[test]
    fn a_record_is_read_back() {
        let (core, processor) = (CoreCoord::new(3, 7), Processor::Pack);
        let processor = ProcessorId { core, processor };
        let site = Site::new("kernels/compute.cpp", 70_000, 9);
        assert_eq!(decode(&encode(processor, site)), Some(Trace { processor, site }));
        let long = intern(&format!("{}/end.cpp", "folder".repeat(90)));
        let read = decode(&encode(processor, Site { file: long, ..site })).expect("a record");
        assert!(read.site.file.ends_with("/end.cpp") && read.site.file.len() == 240);
    }
}
