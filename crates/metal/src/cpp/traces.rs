//! The last calls of kernels, in memory that a supervising process reads when this one is gone.
//!
//! Written by a worker, which inherits the memory, and by nobody else. A kernel can destroy it, so
//! that its reader believes nothing: whatever it holds is a text, a line or nothing.

#![allow(unsafe_code, reason = "memory that two processes share")]

use std::cell::Cell;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use tilewright_machine::{CoreCoord, Processor, ProcessorId, Site};

use crate::intern::intern;

/// Threads that note their calls apart, so that none waits for another; all others share the last
/// lane, where what two of them write at once may be garbled.
const LANES: usize = 64;
/// Calls that a lane keeps.
const LANE_CALLS: usize = 16;
/// A lane's counters, and its calls.
const LANE_BYTES: usize = 64 + LANE_CALLS * CALL_BYTES;
/// Bytes of a call, whose file is a number.
const CALL_BYTES: usize = 16;
/// Files that have a number; the last one is that of all others, in turn.
const FILES: usize = 64;
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
const FILES_AT: usize = LOADING_AT + RECORD_BYTES;
const LANES_AT: usize = FILES_AT + FILES * RECORD_BYTES;
const BYTES: usize = LANES_AT + LANES * LANE_BYTES;
/// What stands for a processor that is not known.
const NOBODY: u8 = u8::MAX;

/// The counters, in their order.
#[derive(Clone, Copy)]
enum Counter {
    Files,
    Loading,
    Begun,
    Finished,
    Cause,
}

/// A lane's counters.
#[derive(Clone, Copy)]
enum LaneCounter {
    Calls,
    Executing,
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

/// Lanes that threads of this process have, a bit each.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// The lane of a thread, for as long as it lives.
struct Lane {
    place: usize,
    /// Numbers of the files that it was in last, near the places that follow from where their names
    /// lie.
    files: [Cell<(usize, u8)>; FILES],
}

impl Lane {
    fn take() -> Lane {
        let free = |taken: u64| {
            let place = taken.trailing_ones() as usize;
            (place < LANES - 1).then(|| taken | 1 << place)
        };
        let before = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free);
        let place = before.map_or(LANES - 1, |taken| taken.trailing_ones() as usize);
        Lane { place, files: [const { Cell::new((0, 0)) }; FILES] }
    }

    /// The number of a file, which is the same name in all processes.
    #[inline]
    fn file(&self, traces: &Traces, file: &'static str) -> u8 {
        let at = file.as_ptr().addr();
        let first = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut places = (first as usize..).map(|place| &self.files[place % FILES]).take(4);
        match places.clone().map(Cell::get).find(|(of, _)| *of == at) {
            Some((_, number)) => number,
            None => {
                let number = traces.number_of(file);
                let free = places.clone().find(|place| place.get().0 == 0);
                let place = free.or_else(|| places.next()).expect("there are places");
                place.set((at, number));
                number
            }
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        MINE.set(std::ptr::null());
        if self.place < LANES - 1 {
            TAKEN.fetch_and(!(1 << self.place), Ordering::Relaxed);
        }
    }
}

thread_local! {
    static LANE: Lane = Lane::take();

    /// The same, once it has been taken: there is nothing to ask any more.
    static MINE: Cell<*const Lane> = const { Cell::new(std::ptr::null()) };
}

#[inline]
fn with_lane(act: impl FnOnce(&Lane)) {
    // SAFETY: the thread's own, which sets this back when it is dropped.
    match unsafe { MINE.get().as_ref() } {
        Some(lane) => act(lane),
        None => LANE.with(|lane| {
            MINE.set(lane);
            act(lane);
        }),
    }
}

/// Notes a call.
#[inline]
pub(super) fn note(processor: ProcessorId, site: &Site) {
    if let Some(traces) = attached() {
        with_lane(|lane| traces.write(lane, processor, site));
    }
}

/// Notes that a kernel's code is executed from here on, or no longer.
#[inline]
pub(super) fn executing(is_executing: bool) {
    if let Some(traces) = attached() {
        let change = if is_executing { 1 } else { u64::MAX };
        with_lane(|lane| {
            traces.add(lane.place, LaneCounter::Executing, change);
        });
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
        let sum = |counter| {
            let lanes = (0..LANES).map(|lane| self.of_lane(lane, counter).load(Ordering::Relaxed));
            lanes.fold(0, u64::wrapping_add)
        };
        Progress {
            calls: sum(LaneCounter::Calls),
            executing: sum(LaneCounter::Executing),
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

    /// The last calls: first those of threads that execute a kernel's code, which others wait for,
    /// and the latest of each thread first.
    pub fn last(&self) -> Vec<Trace> {
        let word = |lane, counter| self.of_lane(lane, counter).load(Ordering::Relaxed);
        let executes = |lane: &usize| word(*lane, LaneCounter::Executing) > 0;
        let (executing, others): (Vec<_>, Vec<_>) = (0..LANES).partition(executes);
        let mut last = Vec::new();
        for lanes in [executing, others] {
            for back in 1..=LANE_CALLS as u64 {
                last.extend(lanes.iter().filter_map(|lane| {
                    let turn = word(*lane, LaneCounter::Calls).checked_sub(back)?;
                    self.call(*lane, turn)
                }));
            }
        }
        last
    }

    /// One of the last calls of a lane.
    fn call(&self, lane: usize, turn: u64) -> Option<Trace> {
        let [who, line, column] = self.words(lane, turn).map(|word| word.load(Ordering::Relaxed));
        let [x, y, processor, file] = who.to_le_bytes();
        let mut record = self.get(file_at(usize::from(file)));
        record[..3].copy_from_slice(&[x, y, processor]);
        record[4..8].copy_from_slice(&line.to_le_bytes());
        record[8..12].copy_from_slice(&column.to_le_bytes());
        decode(&record)
    }

    fn counter(&self, counter: Counter) -> &AtomicU64 {
        // SAFETY: in the header, aligned, and only ever used as an atomic.
        unsafe { self.start.cast::<AtomicU64>().add(counter as usize).as_ref() }
    }

    #[inline]
    fn of_lane(&self, lane: usize, counter: LaneCounter) -> &AtomicU64 {
        assert!(lane < LANES, "a lane of these");
        let at = LANES_AT + lane * LANE_BYTES;
        // SAFETY: at the start of a lane, aligned, and only ever used as an atomic.
        unsafe { self.start.add(at).cast::<AtomicU64>().add(counter as usize).as_ref() }
    }

    /// Where a call of a lane is noted: who, with the file's number, line and column.
    #[inline]
    fn words(&self, lane: usize, turn: u64) -> [&AtomicU32; 3] {
        assert!(lane < LANES, "a lane of these");
        let place = (turn % LANE_CALLS as u64) as usize;
        let at = LANES_AT + lane * LANE_BYTES + 64 + place * CALL_BYTES;
        // SAFETY: inside the lane, aligned, and only ever used as atomics.
        [0, 1, 2].map(|word| unsafe { self.start.add(at).cast::<AtomicU32>().add(word).as_ref() })
    }

    /// Adds to a counter. A lane has one thread, but for the last one.
    #[inline]
    fn add(&self, lane: usize, counter: LaneCounter, by: u64) -> u64 {
        let counter = self.of_lane(lane, counter);
        if lane == LANES - 1 {
            return counter.fetch_add(by, Ordering::Relaxed);
        }
        let before = counter.load(Ordering::Relaxed);
        counter.store(before.wrapping_add(by), Ordering::Relaxed);
        before
    }

    #[inline]
    fn write(&self, lane: &Lane, who: ProcessorId, site: &Site) {
        let file = lane.file(self, site.file);
        let turn = self.add(lane.place, LaneCounter::Calls, 1);
        let who = [who.core.x, who.core.y, who.processor as u8, file];
        let words = [u32::from_le_bytes(who), site.line, site.column];
        for (at, word) in self.words(lane.place, turn).into_iter().zip(words) {
            at.store(word, Ordering::Relaxed);
        }
    }

    /// The number of a file; a new one gets the next.
    #[cold]
    fn number_of(&self, file: &str) -> u8 {
        let record = encode_text(file);
        let known = self.counter(Counter::Files).load(Ordering::Relaxed).min(FILES as u64) as usize;
        if let Some(number) = (0..known).find(|number| self.get(file_at(*number)) == record) {
            return number as u8;
        }
        let next = self.counter(Counter::Files).fetch_add(1, Ordering::Relaxed);
        let number = next.min(FILES as u64 - 1) as usize;
        self.put(file_at(number), &record);
        number as u8
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

fn file_at(number: usize) -> usize {
    FILES_AT + number.min(FILES - 1) * RECORD_BYTES
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

    /// Held by tests that take lanes: one takes all that there are.
    static ALL_LANES: std::sync::Mutex<()> = std::sync::Mutex::new(());

    fn trace(line: u32) -> Trace {
        let processor = ProcessorId { core: CoreCoord::new(1, 2), processor: Processor::Reader };
        let site = Site::new("kernels/reader.cpp", line, 1);
        Trace { processor: Some(processor), site }
    }

    #[test]
    fn what_a_worker_notes_is_read_by_its_supervisor() {
        let _alone = ALL_LANES.lock().expect("not poisoned");
        let traces = Traces::create().expect("memory");
        assert_eq!((traces.last(), traces.cause()), (Vec::new(), None));
        let (lane, other) = (Lane::take(), Lane::take());
        for (lane, line) in [(&lane, 7), (&other, 8), (&lane, 9)] {
            let Trace { processor, site } = trace(line);
            traces.write(lane, processor.expect("one"), &site);
        }
        traces.add(other.place, LaneCounter::Executing, 1);
        let expected = Progress { calls: 3, executing: 1, ..Progress::default() };
        assert_eq!(traces.progress(), expected);
        assert_eq!(traces.last(), [trace(8), trace(9), trace(7)]);
        let many = 3 * LANE_CALLS as u32;
        for line in 1..=many {
            traces.write(&lane, trace(line).processor.expect("one"), &trace(line).site);
        }
        let of_lane = traces.last().into_iter().filter(|it| *it != trace(8));
        let expected = (0..LANE_CALLS as u32).map(|back| trace(many - back));
        assert_eq!(of_lane.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn more_files_than_have_numbers_and_more_threads_than_lanes_are_noted() {
        let _alone = ALL_LANES.lock().expect("not poisoned");
        let traces = Traces::create().expect("memory");
        let lanes: Vec<Lane> = (0..LANES + 3).map(|_| Lane::take()).collect();
        let who = trace(1).processor.expect("one");
        for (number, lane) in lanes.iter().enumerate() {
            for file in 0..4 {
                let file = intern(&format!("kernels/{number}-{file}.cpp"));
                traces.write(lane, who, &Site::new(file, 1, 1));
            }
        }
        assert_eq!(traces.progress().calls, 4 * lanes.len() as u64);
        let last = traces.last();
        let named = |name: &str| last.iter().any(|trace| trace.site.file == name);
        assert!(named("kernels/0-0.cpp"), "{last:?}");
        assert!(named(&format!("kernels/{}-3.cpp", lanes.len() - 1)), "{last:?}");
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
