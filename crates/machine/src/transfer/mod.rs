//! Transfers: what a core has asked of the networks, and what reaches it from elsewhere.
//!
//! Everything that leaves a core goes through its outbox and is handed over between windows.

mod agenda;
mod check;
mod issue;
mod landing;
mod outbox;
mod queue;

use crate::Site;
use crate::architecture::Architecture;
use crate::core::Core;
use crate::data_movement::Channel;
use crate::event::TransferId;
use crate::grid::{CoreCoord, CoreRange};
use crate::noc::{NocAddress, NocId};
use crate::processor::{Barrier, Processor, ProcessorId};
use crate::units::{Cycle, L1Address};

pub(crate) use agenda::Agenda;
pub(crate) use outbox::{Outbox, apply};
pub(crate) use queue::Scheduled;

/// Whose transfer it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) processor: ProcessorId,
    pub(crate) site: Site,
    pub(crate) channel: Channel,
    pub(crate) id: TransferId,
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// How many cores it means when `sender` sends.
    pub fn cores(self, sender: CoreCoord) -> u32 {
        match self {
            Target::One(_) => 1,
            Target::Cores { range, include_self, .. } => {
                let is_left_out = !include_self && range.contains(sender);
                range.cores().count() as u32 - u32::from(is_left_out)
            }
        }
    }

    /// The place, or that of the rectangle's first core.
    pub fn address(self) -> NocAddress {
        match self {
            Target::One(at) => at,
            Target::Cores { range, address, .. } => NocAddress::L1 { core: range.start, address },
        }
    }
}

/// Requests that keep their order on the way to one place: tt-metal gives each kind a static
/// virtual channel of its own.
#[derive(Clone, Copy)]
enum Kind {
    /// Writes and atomics to one core.
    Unicast,
    /// Writes and atomics to a rectangle.
    Multicast,
    /// Reads. They follow writes to the same core and hold up nothing (NoC/Ordering.md).
    Read,
}

const KINDS: usize = 3;

/// How busy a core's links are, what left last, and what arrived where last.
pub(crate) struct Traffic {
    inbound: [Cycle; 2],
    outbound: [Cycle; 2],
    departed: [Cycle; 2],
    /// By core, network and kind, up to the last core that this one has sent anything to.
    arrived: Vec<Cycle>,
    /// When DRAM has taken the last write of this core, by network and bank.
    dram_written: [Vec<Option<Cycle>>; 2],
    transfers: u64,
}

impl Traffic {
    pub(crate) fn new(arch: &Architecture) -> Traffic {
        let banks = vec![None; usize::from(arch.dram_banks)];
        Traffic {
            inbound: [Cycle(0); 2],
            outbound: [Cycle(0); 2],
            departed: [Cycle(0); 2],
            arrived: Vec::new(),
            dram_written: [banks.clone(), banks],
            transfers: 0,
        }
    }

    /// What this core sent last to another, by kind.
    fn arrived(&mut self, core: usize, noc: NocId, kind: Kind) -> &mut Cycle {
        let place = (core * 2 + noc as usize) * KINDS + kind as usize;
        if place >= self.arrived.len() {
            self.arrived.resize(place + 1, Cycle(0));
        }
        &mut self.arrived[place]
    }

    /// From when on a read sees what this core has written to a bank: DRAM takes a write at the
    /// end of a window.
    fn written(&self, arch: &Architecture, noc: NocId, bank: u8) -> Cycle {
        let written = self.dram_written[noc as usize][usize::from(bank)];
        written.map_or(Cycle(0), |written| written + arch.timing.noc_least)
    }

    fn next_id(&mut self) -> TransferId {
        self.transfers += 1;
        TransferId(self.transfers)
    }
}

impl Core {
    fn owner(&mut self, processor: Processor, channel: Channel) -> Owner {
        let site = self.clocks[processor.index()].site;
        let id = self.traffic.next_id();
        let processor = ProcessorId { core: self.coord, processor };
        Owner { processor, site, channel, id }
    }

    fn count(&mut self, owner: &Owner, barrier: Barrier, change: i32) {
        let Channel { noc, transaction } = owner.channel;
        let counters = &mut self.counters[owner.processor.processor.index()][noc as usize];
        let counter = &mut counters.of(barrier)[usize::from(transaction & 15)];
        *counter = counter.wrapping_add_signed(change);
    }

    /// What the mode and the seed add to the latency of data.
    fn late(&mut self) -> u64 {
        self.run.noc.delay() + self.schedule.latency()
    }
}

fn departure_of(posted: bool) -> Barrier {
    if posted { Barrier::PostedWritesDeparted } else { Barrier::WritesDeparted }
}
