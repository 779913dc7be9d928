//! Which kernel each core is running, and its last call, for a watchdog on another host thread.
//!
//! A kernel that loops without a call cannot be suspended by the machine, which has no clock to
//! notice it by. A watchdog that has one reads this. It cannot change a run.

use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::architecture::Architecture;
use crate::grid::CoreCoord;
use crate::processor::{Processor, ProcessorId};
use crate::site::Site;

/// What host threads that run kernels leave for one that watches them.
#[derive(Debug)]
pub struct Watch {
    cores: Vec<Seat>,
}

/// A kernel that was running when the watch was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The processor.
    pub processor: ProcessorId,
    /// The last call that its kernel made; `Site::KERNEL` before the first.
    pub site: Site,
    /// The number of the turn on its core: the same number twice is the same turn.
    pub number: u64,
}

#[derive(Debug)]
struct Seat {
    core: CoreCoord,
    /// One more than the index of the processor under way; 0 between turns.
    running: AtomicU8,
    turns: AtomicU64,
    calls: [LastCall; 5],
}

/// A site in parts that can be stored one by one. They may belong to two calls while the kernel
/// makes calls; of one that makes none they are all there.
#[derive(Debug)]
struct LastCall {
    file: Mutex<&'static str>,
    /// Where the file's name lies, so that the lock is taken only when another file is entered.
    file_at: AtomicUsize,
    /// Line and column.
    position: AtomicU64,
}

impl Watch {
    /// A watch for runs on one chip at a time.
    pub fn new(arch: &Architecture) -> Watch {
        Watch { cores: (0..arch.cores()).map(|index| Seat::new(arch.core_at(index))).collect() }
    }

    /// The kernels under way now, at most one a core.
    pub fn turns(&self) -> Vec<Turn> {
        self.cores.iter().filter_map(Seat::turn).collect()
    }

    pub(crate) fn begin(&self, core: u16, processor: Processor) {
        let seat = &self.cores[usize::from(core)];
        seat.turns.store(seat.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        seat.running.store(processor as u8 + 1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self, core: u16) {
        self.cores[usize::from(core)].running.store(0, Ordering::Relaxed);
    }

    pub(crate) fn call(&self, core: u16, processor: Processor, site: Site) {
        self.cores[usize::from(core)].calls[processor.index()].set(site);
    }
}

impl Seat {
    fn new(core: CoreCoord) -> Seat {
        let (running, turns) = (AtomicU8::new(0), AtomicU64::new(0));
        Seat { core, running, turns, calls: Processor::ALL.map(|_| LastCall::new()) }
    }

    fn turn(&self) -> Option<Turn> {
        let index = self.running.load(Ordering::Relaxed).checked_sub(1)?;
        let processor = Processor::ALL[usize::from(index)];
        Some(Turn {
            processor: ProcessorId { core: self.core, processor },
            site: self.calls[processor.index()].site(),
            number: self.turns.load(Ordering::Relaxed),
        })
    }
}

impl LastCall {
    fn new() -> LastCall {
        let (file, file_at) = (Mutex::new(Site::KERNEL.file), AtomicUsize::new(0));
        LastCall { file, file_at, position: AtomicU64::new(0) }
    }

    fn set(&self, site: Site) {
        let at = site.file.as_ptr() as usize;
        if self.file_at.load(Ordering::Relaxed) != at {
            *self.file.lock().unwrap_or_else(PoisonError::into_inner) = site.file;
            self.file_at.store(at, Ordering::Relaxed);
        }
        let position = u64::from(site.line) << 32 | u64::from(site.column);
        self.position.store(position, Ordering::Relaxed);
    }

    fn site(&self) -> Site {
        let file = *self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let position = self.position.load(Ordering::Relaxed);
        Site::new(file, (position >> 32) as u32, position as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_seen_from_its_begin_to_its_end() {
        let watch = Watch::new(&Architecture::wormhole_n150());
        assert_eq!(watch.turns(), []);
        watch.begin(9, Processor::Math);
        let site = Site::here();
        watch.call(9, Processor::Pack, Site { line: 7, ..site });
        watch.call(9, Processor::Math, site);
        let processor = ProcessorId { core: CoreCoord::new(1, 1), processor: Processor::Math };
        assert_eq!(watch.turns(), [Turn { processor, site, number: 1 }]);
        watch.end(9);
        watch.begin(3, Processor::Reader);
        let turns = watch.turns();
        assert_eq!((turns.len(), turns[0].site, turns[0].number), (1, Site::KERNEL, 1));
    }
}
