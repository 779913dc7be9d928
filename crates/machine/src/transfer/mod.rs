//! Transfers: what a core has asked of the networks, and what reaches it from elsewhere.
//!
//! Everything that leaves a core goes through its outbox and is handed over between windows.

mod check;
mod issue;
mod landing;
mod queue;

use crate::Site;
use crate::architecture::Architecture;
use crate::core::Core;
use crate::event::TransferId;
use crate::grid::CoreRange;
use crate::noc::{NocAddress, NocId};
use crate::processor::{Barrier, Processor, ProcessorId};
use crate::units::{Cycle, L1Address};

pub(crate) use queue::{Outbox, Scheduled};

/// Transfers vary by up to this many cycles from seed to seed (a power of two).
const LATENCY_SPREAD: u64 = 256;

/// Whose transfer it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) processor: ProcessorId,
    pub(crate) site: Site,
    pub(crate) noc: NocId,
    pub(crate) transaction: u8,
    pub(crate) id: TransferId,
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One place.
    One(NocAddress),
    /// The same address on every core of a rectangle.
    Cores {
        /// The rectangle.
        range: CoreRange,
        /// The address on each.
        address: L1Address,
        /// Whether the sender, if it lies in the rectangle, is written too.
        include_self: bool,
    },
}

impl Target {
    fn address(self) -> NocAddress {
        match self {
            Target::One(at) => at,
            Target::Cores { range, address, .. } => NocAddress::L1 { core: range.start, address },
        }
    }
}

/// How busy a core's links are, and what arrived where last: requests of one kind from one core
/// to one place stay in order (tt-metal gives each kind a static virtual channel).
pub(crate) struct Traffic {
    inbound: [Cycle; 2],
    outbound: [Cycle; 2],
    last_arrival: Vec<Cycle>,
    transfers: u64,
}

impl Traffic {
    pub(crate) fn new(arch: &Architecture) -> Traffic {
        let places = arch.cores() + usize::from(arch.dram_banks);
        Traffic {
            inbound: [Cycle(0); 2],
            outbound: [Cycle(0); 2],
            last_arrival: vec![Cycle(0); places * 4],
            transfers: 0,
        }
    }

    fn next_id(&mut self) -> TransferId {
        self.transfers += 1;
        TransferId(self.transfers)
    }
}

impl Core {
    fn owner(&mut self, processor: Processor, noc: NocId, transaction: u8) -> Owner {
        let site = self.clocks[processor.index()].site;
        let id = self.traffic.next_id();
        let processor = ProcessorId { core: self.coord, processor };
        Owner { processor, site, noc, transaction: transaction & 15, id }
    }

    fn count(&mut self, owner: &Owner, barrier: Barrier, change: i32) {
        let counters = &mut self.counters[owner.processor.processor.index()][owner.noc as usize];
        let counter = &mut counters.of(barrier)[usize::from(owner.transaction)];
        *counter = counter.wrapping_add_signed(change);
    }

    fn late(&mut self) -> u64 {
        self.run.noc.delay() + self.rng.below(LATENCY_SPREAD)
    }
}

fn departure_of(posted: bool) -> Barrier {
    if posted { Barrier::PostedWritesDeparted } else { Barrier::WritesDeparted }
}
