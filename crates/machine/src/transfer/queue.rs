//! What will happen on a core and when, and what leaves it in a window.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::core::Core;
use crate::grid::CoreCoord;
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
