//! The last calls of kernels, in memory that a supervising process reads when this one is gone.
//!
//! Written by a worker, which inherits the memory, and by nobody else. A kernel can destroy it, so
//! that its reader believes nothing: whatever it holds is a text, a line or nothing.

#![allow(unsafe_code, reason = "memory that two processes share")]

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use tilewright_machine::{CoreCoord, Processor, ProcessorId, Site};

use crate::intern::intern;

const RECORDS: usize = 64;
const RECORD_BYTES: usize = 256;
/// Bytes of a record before the file's name.
const FIELD_BYTES: usize = 16;
/// The counters and room to spare.
const HEADER_BYTES: usize = 128;
/// Where the cause lies: its line, then its words.
const CAUSE_AT: usize = HEADER_BYTES;
const WORDS_AT: usize = CAUSE_AT + RECORD_BYTES;
/// Where the file lies whose constructors run.
const LOADING_AT: usize = WORDS_AT + RECORD_BYTES;
const RECORDS_AT: usize = LOADING_AT + RECORD_BYTES;
const BYTES: usize = RECORDS_AT + RECORDS * RECORD_BYTES;
/// What stands for a processor that is not known.
const NOBODY: u8 = u8::MAX;

/// The counters, in their order.
#[derive(Clone, Copy)]
enum Counter {
    Calls,
    Executing,
    Loading,
    Begun,
    Finished,
    Cause,
}

/// A line of a kernel, and whose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The processor, if it is known: constructors of a kernel's variables run on none.
    pub processor: Option<ProcessorId>,
    /// The line.
    pub site: Site,
}

/// Why a worker ended, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// What happened, as a clause whose subject is the kernel.
    pub what: String,
    /// Where, if that is known.
    pub at: Option<Trace>,
}

/// How far a worker is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Calls and strides of kernels so far.
    pub calls: u64,
    /// Threads that execute a kernel's code.
    pub executing: u64,
    /// Whether constructors of a kernel's variables run.
    pub is_loading: bool,
    /// Runs that have begun.
    pub begun: u64,
    /// Runs that have ended.
    pub finished: u64,
}

/// Memory that a worker notes its calls in.
#[derive(Debug)]
pub struct Traces {
    start: NonNull<u8>,
}

// SAFETY: the counters are atomic; records that two threads write at once may be garbled, and are
// read with that in mind.
unsafe impl Send for Traces {}
// SAFETY: as above.
unsafe impl Sync for Traces {}

/// Where this process notes its calls: nowhere, unless it is a worker.
static ATTACHED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// The memory, if this process is a worker.
fn attached() -> Option<Traces> {
    NonNull::new(ATTACHED.load(Ordering::Relaxed)).map(|start| Traces { start })
}

/// Whether this process is a worker.
pub(super) fn is_attached() -> bool {
    attached().is_some()
}

/// Notes a call.
pub(super) fn note(processor: ProcessorId, site: Site) {
    if let Some(traces) = attached() {
        traces.write(Trace { processor: Some(processor), site });
    }
}

/// Notes that a kernel's code is executed from here on, or no longer.
pub(super) fn executing(is_executing: bool) {
    if let Some(traces) = attached() {
        let change = if is_executing { 1 } else { u64::MAX };
        traces.counter(Counter::Executing).fetch_add(change, Ordering::Relaxed);
    }
}

/// Notes whose constructors run from here on; nobody's, if there is no file.
pub(super) fn loading(file: Option<&str>) {
    let Some(traces) = attached() else { return };
    if let Some(file) = file {
        let file = intern(file);
        let site = Site::new(file, 0, 0);
        traces.put(LOADING_AT, &encode(Trace { processor: None, site }));
    }
    traces.counter(Counter::Loading).store(u64::from(file.is_some()), Ordering::Relaxed);
}

/// Notes why this process is about to end; only the first cause is kept. False without a reader.
/// Allocates nothing: the process may have stopped in the middle of that.
pub(super) fn cause(at: Option<Trace>, what: &str) -> bool {
    let Some(traces) = attached() else { return false };
    if traces.counter(Counter::Cause).fetch_add(1, Ordering::Relaxed) > 0 {
        return true;
    }
    let nowhere = Trace { processor: None, site: Site::new("", 0, 0) };
    traces.put(CAUSE_AT, &encode(at.unwrap_or(nowhere)));
    traces.put(WORDS_AT, &encode_text(what));
    true
}

/// A run of kernels, from their loading to their end.
#[must_use]
pub struct Running(());

impl Running {
    /// Notes that one begins.
    pub fn begin() -> Running {
        if let Some(traces) = attached() {
            traces.counter(Counter::Begun).fetch_add(1, Ordering::Relaxed);
        }
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(traces) = attached() {
            traces.counter(Counter::Finished).fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Traces {
    /// Memory that processes forked from here on share with this one. It stays for as long as the
    /// process: it is small, and kernels' threads may still write to it.
    pub fn create() -> io::Result<Traces> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping of memory without a file.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast()).map(|start| Traces { start }).ok_or(io::ErrorKind::Other.into())
    }

    /// Makes this process a worker that notes its calls here.
    pub fn attach(&self) {
        ATTACHED.store(self.start.as_ptr(), Ordering::Relaxed);
    }

    /// How far the worker is.
    pub fn progress(&self) -> Progress {
        let word = |counter| self.counter(counter).load(Ordering::Relaxed);
        Progress {
            calls: word(Counter::Calls),
            executing: word(Counter::Executing),
            is_loading: word(Counter::Loading) > 0,
            begun: word(Counter::Begun),
            finished: word(Counter::Finished),
        }
    }

    /// Why the worker ended, if it has said so.
    pub fn cause(&self) -> Option<Cause> {
        if self.counter(Counter::Cause).load(Ordering::Relaxed) == 0 {
            return None;
        }
        let at = decode(&self.get(CAUSE_AT)).filter(|at| !at.site.file.is_empty());
        let what = decode(&self.get(WORDS_AT))?.site.file.to_owned();
        Some(Cause { what, at })
    }

    /// The kernel whose constructors were run last.
    pub fn loading(&self) -> Option<Trace> {
        decode(&self.get(LOADING_AT)).filter(|it| !it.site.file.is_empty())
    }

    /// The last calls, the latest first.
    pub fn last(&self) -> Vec<Trace> {
        let calls = self.progress().calls;
        let turns = (calls.saturating_sub(RECORDS as u64)..calls).rev();
        turns.filter_map(|turn| decode(&self.get(record_at(turn)))).collect()
    }

    fn counter(&self, counter: Counter) -> &AtomicU64 {
        // SAFETY: in the header, aligned, and only ever used as an atomic.
        unsafe { self.start.cast::<AtomicU64>().add(counter as usize).as_ref() }
    }

    fn write(&self, trace: Trace) {
        let turn = self.counter(Counter::Calls).fetch_add(1, Ordering::Relaxed);
        self.put(record_at(turn), &encode(trace));
    }

    fn put(&self, at: usize, record: &[u8; RECORD_BYTES]) {
        // SAFETY: one record inside the mapping.
        unsafe {
            let to = self.start.add(at).as_ptr();
            std::ptr::copy_nonoverlapping(record.as_ptr(), to, RECORD_BYTES);
        }
    }

    fn get(&self, at: usize) -> [u8; RECORD_BYTES] {
        let mut record = [0; RECORD_BYTES];
        // SAFETY: one record inside the mapping; what another process writes meanwhile is bytes.
        unsafe {
            let from = self.start.add(at).as_ptr();
            std::ptr::copy_nonoverlapping(from, record.as_mut_ptr(), RECORD_BYTES);
        }
        record
    }
}

fn record_at(turn: u64) -> usize {
    RECORDS_AT + (turn % RECORDS as u64) as usize * RECORD_BYTES
}

fn encode(trace: Trace) -> [u8; RECORD_BYTES] {
    let mut record = encode_text(trace.site.file);
    let who = trace.processor;
    let (x, y) = who.map_or((0, 0), |who| (who.core.x, who.core.y));
    let processor = who.map_or(NOBODY, |who| who.processor as u8);
    record[..3].copy_from_slice(&[x, y, processor]);
    record[4..8].copy_from_slice(&trace.site.line.to_le_bytes());
    record[8..12].copy_from_slice(&trace.site.column.to_le_bytes());
    record
}

/// A text alone. The end of a long one says more than its beginning.
fn encode_text(text: &str) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    let text = text.as_bytes();
    let text = &text[text.len().saturating_sub(RECORD_BYTES - FIELD_BYTES)..];
    record[..4].copy_from_slice(&[0, 0, NOBODY, text.len() as u8]);
    record[FIELD_BYTES..FIELD_BYTES + text.len()].copy_from_slice(text);
    record
}

fn decode(record: &[u8]) -> Option<Trace> {
    let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
    let core = CoreCoord::new(*record.first()?, *record.get(1)?);
    let processor = match *record.get(2)? {
        NOBODY => None,
        index => Some(ProcessorId { core, processor: *Processor::ALL.get(usize::from(index))? }),
    };
    let length = usize::from(*record.get(3)?);
    let name = record.get(FIELD_BYTES..FIELD_BYTES + length)?;
    let file = intern(&String::from_utf8_lossy(name));
    let site = Site::new(file, word(4)?, word(8)?);
    Some(Trace { processor, site })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(line: u32) -> Trace {
        let processor = ProcessorId { core: CoreCoord::new(1, 2), processor: Processor::Reader };
        let site = Site::new("kernels/reader.cpp", line, 1);
        Trace { processor: Some(processor), site }
    }

    #[test]
    fn what_a_worker_notes_is_read_by_its_supervisor() {
        let traces = Traces::create().expect("memory");
        assert_eq!((traces.last(), traces.cause()), (Vec::new(), None));
        traces.write(trace(7));
        traces.write(trace(9));
        assert_eq!(traces.progress(), Progress { calls: 2, ..Progress::default() });
        assert_eq!(traces.last(), [trace(9), trace(7)]);
    }

    #[test]
    fn a_record_is_read_back() {
        let nobody = Trace { processor: None, ..trace(3) };
        for one in [trace(1), nobody] {
            assert_eq!(decode(&encode(one)), Some(one));
        }
        let name = "x".repeat(300);
        let long = Trace { site: Site { file: intern(&name), ..trace(3).site }, ..trace(3) };
        let back = decode(&encode(long)).expect("a record");
        assert_eq!(back.site.file.len(), RECORD_BYTES - FIELD_BYTES);
        assert_eq!(decode(&[9; RECORD_BYTES]), None, "no processor has this number");
    }
}
