//! What will happen on a core and when, and what leaves it in a window.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::core::Core;
use crate::grid::CoreCoord;
use crate::memory::prefetch_place;
use crate::processor::Barrier;
use crate::transfer::agenda::InLine;
use crate::transfer::{Owner, Target};
use crate::units::{Cycle, DramAddress, L1Address};

/// Something that will happen on a core at a cycle.
#[derive(Clone)]
pub(crate) struct Scheduled {
    pub(crate) cycle: Cycle,
    pub(crate) from: u16,
    pub(crate) sequence: u64,
    pub(crate) action: Action,
}

#[derive(Clone)]
pub(crate) enum Action {
    LandDram(LandDram),
    /// A read from another core completes.
    LandBytes {
        owner: Owner,
        to: L1Address,
        data: Arc<[u8]>,
    },
    /// Another core wants bytes of this one.
    Serve {
        owner: Owner,
        from: L1Address,
        to: L1Address,
        bytes: u32,
    },
    Depart(Depart),
    /// A write reaches DRAM later than it left this core.
    WriteDram {
        owner: Owner,
        to: DramAddress,
        data: Arc<[u8]>,
        posted: bool,
    },
    Acknowledge(Acknowledge),
    /// Bytes from elsewhere arrive.
    Write {
        owner: Owner,
        to: L1Address,
        data: Arc<[u8]>,
    },
    /// An addition from elsewhere arrives.
    Increment {
        owner: Owner,
        to: L1Address,
        by: u32,
    },
}

/// A read from DRAM completes.
#[derive(Clone, Copy)]
pub(crate) struct LandDram {
    pub(crate) owner: Owner,
    pub(crate) from: DramAddress,
    pub(crate) to: L1Address,
    pub(crate) bytes: u32,
}

/// A request leaves this core.
#[derive(Clone, Copy)]
pub(crate) struct Depart {
    pub(crate) owner: Owner,
    pub(crate) to: Target,
    pub(crate) request: NocRequest,
}

/// A write or an atomic was acknowledged.
#[derive(Clone, Copy)]
pub(crate) struct Acknowledge {
    pub(crate) owner: Owner,
    pub(crate) barrier: Barrier,
}

/// What leaves a core towards a target. DRAM takes what it is sent when that is `written`.
#[derive(Clone, Copy)]
pub(crate) enum NocRequest {
    /// Asks for the target's bytes.
    Read { to: L1Address, bytes: u32 },
    /// Carries bytes that are read from L1 as it leaves.
    Write { from: L1Address, bytes: u32, posted: bool, written: Cycle },
    /// Carries a word.
    Word { value: u32, posted: bool, written: Cycle },
    /// Adds to a word.
    Increment { by: u32 },
}

/// What things that happen are ordered by: cycle, core and sequence.
pub(super) type Key = (Cycle, u16, u64);

impl Scheduled {
    pub(super) fn key(&self) -> Key {
        (self.cycle, self.from, self.sequence)
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Scheduled) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Scheduled) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Reversed, so that a heap gives the earliest first.
impl Ord for Scheduled {
    fn cmp(&self, other: &Scheduled) -> Ordering {
        other.key().cmp(&self.key())
    }
}

/// Bytes on their way to DRAM; they lie in the outbox.
pub(crate) struct DramWrite {
    pub(crate) cycle: Cycle,
    pub(crate) sequence: u64,
    pub(crate) at: DramAddress,
    pub(crate) bytes: Range<usize>,
}

/// What leaves a core in a window.
#[derive(Default)]
pub(crate) struct Outbox {
    pub(crate) messages: Vec<(u16, Scheduled)>,
    pub(crate) dram: Vec<DramWrite>,
    pub(crate) bytes: Vec<u8>,
    /// By bank, from the first byte written to the last.
    spans: Vec<Range<u64>>,
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.dram.is_empty()
    }

    /// Notes a write to DRAM, whose bytes are there.
    pub(crate) fn write(&mut self, write: DramWrite) {
        let (bank, start) = (usize::from(write.at.bank), write.at.offset);
        let end = start + write.bytes.len() as u64;
        if self.spans.len() <= bank {
            self.spans.resize(bank + 1, 0..0);
        }
        let span = &mut self.spans[bank];
        *span = match span.is_empty() {
            true => start..end,
            false => span.start.min(start)..span.end.max(end),
        };
        self.dram.push(write);
    }

    /// Puts this core's own writes of this window, which DRAM has not taken yet, over bytes that
    /// were read from it: a core that has awaited its write reads what it wrote.
    pub(crate) fn overlay(&self, from: DramAddress, read: &mut [u8]) {
        let end = from.offset + read.len() as u64;
        let span = self.spans.get(usize::from(from.bank));
        if span.is_none_or(|span| end <= span.start || span.end <= from.offset) {
            return;
        }
        for write in self.dram.iter().filter(|write| write.at.bank == from.bank) {
            let written = &self.bytes[write.bytes.clone()];
            let write_end = write.at.offset + written.len() as u64;
            let (first, last) = (from.offset.max(write.at.offset), end.min(write_end));
            if first < last {
                let at = |base: u64| (first - base) as usize..(last - base) as usize;
                read[at(from.offset)].copy_from_slice(&written[at(write.at.offset)]);
            }
        }
    }

    /// Announces that so many bytes will be written soon; changes nothing else.
    pub(crate) fn announce(&mut self, bytes: usize) {
        let spare = self.bytes.spare_capacity_mut();
        prefetch_place(&spare[..bytes.min(spare.len())]);
    }

    /// Allocates the host's memory for what a kernel may write in a window now instead of on first
    /// use.
    pub(crate) fn populate(&mut self) {
        const USUAL_BYTES: usize = 64 * 1024;
        self.bytes.resize(USUAL_BYTES, 0);
        self.bytes.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.dram.clear();
        self.bytes.clear();
        self.spans.clear();
    }
}

impl Core {
    pub(super) fn send(&mut self, to: CoreCoord, cycle: Cycle, action: Action) {
        if to == self.coord {
            return self.schedule_at(cycle, action);
        }
        self.sequence += 1;
        let scheduled = Scheduled { cycle, from: self.index, sequence: self.sequence, action };
        self.outbox.messages.push((self.arch.core_index(to) as u16, scheduled));
    }

    pub(super) fn schedule_at(&mut self, cycle: Cycle, action: Action) {
        self.sequence += 1;
        let (from, sequence) = (self.index, self.sequence);
        self.queue.push(Scheduled { cycle, from, sequence, action });
        self.horizon = self.horizon.min(cycle);
    }

    /// The same of a kind that mostly happens in the order in which it is scheduled.
    #[inline(always)]
    pub(super) fn line_up_at<T: InLine>(&mut self, cycle: Cycle, what: T) {
        self.sequence += 1;
        self.queue.line_up((cycle, self.index, self.sequence), what);
        self.horizon = self.horizon.min(cycle);
    }
}
