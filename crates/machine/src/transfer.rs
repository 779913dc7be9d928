//! Transfers: what a core has asked of the networks, and what reaches it from elsewhere.
//!
//! Everything that leaves a core goes through its outbox and is handed over between windows.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::architecture::Architecture;
use crate::core::Core;
use crate::event::{Event, EventKind, TransferId};
use crate::grid::{CoreCoord, CoreRange};
use crate::memory::DramView;
use crate::noc::{self, NocAddress, NocId};
use crate::processor::{Barrier, Processor, ProcessorId};
use crate::stop::StopReason;
use crate::units::{DramAddress, L1Address};
use crate::{Cycle, Site};

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
    /// A read from DRAM completes.
    LandDram { owner: Owner, from: DramAddress, to: L1Address, bytes: u32 },
    /// A read from another core completes.
    LandBytes { owner: Owner, to: L1Address, data: Arc<[u8]> },
    /// Another core wants bytes of this one.
    Serve { owner: Owner, from: L1Address, to: L1Address, bytes: u32 },
    /// A write's bytes leave this core.
    Depart { owner: Owner, from: L1Address, to: Target, bytes: u32, posted: bool },
    /// A write or an atomic was acknowledged.
    Acknowledge { owner: Owner, barrier: Barrier },
    /// Bytes from elsewhere arrive.
    Write { owner: Owner, to: L1Address, data: Arc<[u8]> },
    /// An addition from elsewhere arrives.
    Increment { owner: Owner, to: L1Address, by: u32 },
}

impl Scheduled {
    fn key(&self) -> (Cycle, u16, u64) {
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
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.dram.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.dram.clear();
        self.bytes.clear();
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
    /// Begins a read into this core's L1.
    pub(crate) fn issue_read(
        &mut self,
        (processor, noc, transaction): (Processor, NocId, u8),
        from: NocAddress,
        to: L1Address,
        bytes: u32,
    ) -> Result<(), StopReason> {
        let alignment = match from {
            NocAddress::L1 { .. } => self.arch.l1_alignment,
            NocAddress::Dram(_) => self.arch.dram_read_alignment,
        };
        self.check_transfer(to, from, bytes, alignment)?;
        let owner = self.owner(processor, noc, transaction);
        let id = owner.id;
        self.count(&owner, Barrier::Reads, 1);
        self.emit(processor, EventKind::ReadIssued { id, noc, from, to, bytes });
        let now = self.clocks[processor.index()].cycle;
        let flight = noc::flight(&self.arch, noc, self.coord, from) + self.late();
        let flits = noc::flits(&self.arch.timing, bytes);
        match from {
            NocAddress::Dram(from) => {
                let inbound = &mut self.traffic.inbound[noc as usize];
                let landed = (now + flight).max(*inbound) + flits;
                *inbound = landed;
                self.schedule(landed, Action::LandDram { owner, from, to, bytes });
            }
            NocAddress::L1 { core, address } => {
                let action = Action::Serve { owner, from: address, to, bytes };
                self.send(core, now + flight, action);
            }
        }
        Ok(())
    }

    /// Begins a write out of this core's L1.
    pub(crate) fn issue_write(
        &mut self,
        (processor, noc, transaction): (Processor, NocId, u8),
        from: L1Address,
        to: Target,
        bytes: u32,
        posted: bool,
    ) -> Result<(), StopReason> {
        let address = to.address();
        let alignment = match address {
            NocAddress::L1 { .. } => self.arch.l1_alignment,
            NocAddress::Dram(_) => self.arch.dram_write_alignment,
        };
        self.check_transfer(from, address, bytes, alignment)?;
        if let Target::Cores { range, .. } = to {
            self.check_place(NocAddress::L1 { core: range.end, address: L1Address(0) }, 0)?;
        }
        let owner = self.owner(processor, noc, transaction);
        let id = owner.id;
        self.count(&owner, departure_of(posted), 1);
        if !posted {
            self.count(&owner, Barrier::Writes, 1);
        }
        self.emit(processor, EventKind::WriteIssued { id, noc, from, to: address, bytes, posted });
        let now = self.clocks[processor.index()].cycle;
        let outbound = &mut self.traffic.outbound[noc as usize];
        let departed = now.max(*outbound) + noc::flits(&self.arch.timing, bytes);
        *outbound = departed;
        let departed = departed + self.late();
        self.schedule(departed, Action::Depart { owner, from, to, bytes, posted });
        Ok(())
    }

    /// Sends a word that is part of the request itself.
    pub(crate) fn issue_inline_write(
        &mut self,
        (processor, noc, transaction): (Processor, NocId, u8),
        to: NocAddress,
        value: u32,
        posted: bool,
    ) -> Result<(), StopReason> {
        self.check_place(to, 4)?;
        let owner = self.owner(processor, noc, transaction);
        let now = self.clocks[processor.index()].cycle;
        let (id, from) = (owner.id, L1Address(0));
        let bytes = 4;
        self.emit(processor, EventKind::WriteIssued { id, noc, from, to, bytes, posted });
        if !posted {
            self.count(&owner, Barrier::Writes, 1);
        }
        let data: Arc<[u8]> = Arc::from(value.to_le_bytes().as_slice());
        self.deliver(&owner, now, Target::One(to), &data, posted);
        Ok(())
    }

    /// Adds to a word in an L1.
    pub(crate) fn issue_increment(
        &mut self,
        (processor, noc, transaction): (Processor, NocId, u8),
        to: Target,
        by: u32,
    ) -> Result<(), StopReason> {
        let address = to.address();
        self.check_place(address, 4)?;
        let owner = self.owner(processor, noc, transaction);
        let (id, now) = (owner.id, self.clocks[processor.index()].cycle);
        self.count(&owner, Barrier::Atomics, 1);
        self.emit(processor, EventKind::AtomicIssued { id, noc, to: address, by });
        let departed = now + self.late();
        let mut last = departed;
        for (core, at, arrived) in self.arrivals(&owner, departed, to) {
            last = last.max(arrived);
            self.send(core, arrived, Action::Increment { owner, to: at, by });
        }
        let back = self.arch.timing.noc_least;
        self.schedule(last + back, Action::Acknowledge { owner, barrier: Barrier::Atomics });
        Ok(())
    }

    /// Does what was due at this cycle.
    pub(crate) fn act(&mut self, due: Scheduled, dram: &DramView<'_>) {
        let cycle = due.cycle;
        self.now = cycle;
        match due.action {
            Action::LandDram { owner, from, to, bytes } => {
                let source = dram.get(from, bytes as usize).expect("checked at issue");
                self.l1.get_mut(to, bytes as usize).expect("checked").copy_from_slice(source);
                self.landed(cycle, &owner);
            }
            Action::LandBytes { owner, to, data } => {
                self.l1.get_mut(to, data.len()).expect("checked").copy_from_slice(&data);
                self.landed(cycle, &owner);
            }
            Action::Serve { owner, from, to, bytes } => self.serve(cycle, owner, from, to, bytes),
            Action::Depart { owner, from, to, bytes, posted } => {
                self.depart(cycle, owner, from, to, bytes, posted);
            }
            Action::Acknowledge { owner, barrier } => {
                self.count(&owner, barrier, -1);
                let kind = match barrier {
                    Barrier::Atomics => EventKind::AtomicAcknowledged { id: owner.id },
                    Barrier::Writes
                    | Barrier::Reads
                    | Barrier::WritesDeparted
                    | Barrier::PostedWritesDeparted => {
                        EventKind::WriteAcknowledged { id: owner.id }
                    }
                };
                self.emit_at(cycle, owner.processor.processor, owner.site, kind);
            }
            Action::Write { owner, to, data } => {
                self.l1.get_mut(to, data.len()).expect("checked").copy_from_slice(&data);
                self.arrived(cycle, &owner, to, data.len() as u32);
            }
            Action::Increment { owner, to, by } => {
                let value = self.l1.word(to).expect("checked at issue");
                self.l1.set_word(to, value.wrapping_add(by));
                self.arrived(cycle, &owner, to, 4);
            }
        }
        self.stir();
    }

    fn landed(&mut self, cycle: Cycle, owner: &Owner) {
        self.count(owner, Barrier::Reads, -1);
        let kind = EventKind::ReadLanded { id: owner.id };
        self.emit_at(cycle, owner.processor.processor, owner.site, kind);
    }

    fn arrived(&mut self, cycle: Cycle, owner: &Owner, to: L1Address, bytes: u32) {
        let kind = EventKind::Arrived { core: self.coord, to, bytes };
        self.record(Event { cycle, processor: owner.processor, site: owner.site, kind });
    }

    fn serve(&mut self, cycle: Cycle, owner: Owner, from: L1Address, to: L1Address, bytes: u32) {
        let data: Arc<[u8]> = Arc::from(self.l1.get(from, bytes as usize).expect("checked"));
        let reader = owner.processor.core;
        let back = NocAddress::L1 { core: reader, address: to };
        let flight = noc::flight(&self.arch, owner.noc, self.coord, back);
        let landed = cycle + flight + noc::flits(&self.arch.timing, bytes);
        self.send(reader, landed, Action::LandBytes { owner, to, data });
    }

    fn depart(
        &mut self,
        cycle: Cycle,
        owner: Owner,
        from: L1Address,
        to: Target,
        bytes: u32,
        posted: bool,
    ) {
        self.count(&owner, departure_of(posted), -1);
        let kind = EventKind::WriteDeparted { id: owner.id };
        self.emit_at(cycle, owner.processor.processor, owner.site, kind);
        if let Target::One(NocAddress::Dram(at)) = to {
            let data = self.l1.get(from, bytes as usize).expect("checked at issue");
            let start = self.outbox.bytes.len();
            self.outbox.bytes.extend_from_slice(data);
            self.write_dram(cycle, at, start..start + bytes as usize);
            self.acknowledge(&owner, cycle, to, posted);
        } else {
            let data = Arc::from(self.l1.get(from, bytes as usize).expect("checked at issue"));
            self.deliver(&owner, cycle, to, &data, posted);
        }
    }

    /// Sends bytes that have left L1, and the acknowledgement back.
    fn deliver(
        &mut self,
        owner: &Owner,
        departed: Cycle,
        to: Target,
        data: &Arc<[u8]>,
        posted: bool,
    ) {
        if let Target::One(NocAddress::Dram(at)) = to {
            let start = self.outbox.bytes.len();
            self.outbox.bytes.extend_from_slice(data);
            self.write_dram(departed, at, start..start + data.len());
            return self.acknowledge(owner, departed, to, posted);
        }
        let mut last = departed;
        for (core, address, arrived) in self.arrivals(owner, departed, to) {
            last = last.max(arrived);
            let data = Arc::clone(data);
            self.send(core, arrived, Action::Write { owner: *owner, to: address, data });
        }
        if !posted {
            let back = last + self.arch.timing.noc_least;
            self.schedule(back, Action::Acknowledge { owner: *owner, barrier: Barrier::Writes });
        }
    }

    fn acknowledge(&mut self, owner: &Owner, departed: Cycle, to: Target, posted: bool) {
        if !posted {
            let flight = noc::flight(&self.arch, owner.noc, self.coord, to.address());
            let back = departed + 2 * flight;
            self.schedule(back, Action::Acknowledge { owner: *owner, barrier: Barrier::Writes });
        }
    }

    /// DRAM takes a write at the end of the window in which it left: before any acknowledgement.
    fn write_dram(&mut self, cycle: Cycle, at: DramAddress, bytes: Range<usize>) {
        self.sequence += 1;
        self.outbox.dram.push(DramWrite { cycle, sequence: self.sequence, at, bytes });
    }

    /// The cores that a target means, and when a request that departs now reaches each: never
    /// before an earlier request of the same kind from here.
    fn arrivals(
        &mut self,
        owner: &Owner,
        departed: Cycle,
        to: Target,
    ) -> Vec<(CoreCoord, L1Address, Cycle)> {
        let (range, address, include_self, kind) = match to {
            Target::One(NocAddress::L1 { core, address }) => (core.into(), address, true, 0),
            Target::Cores { range, address, include_self } => (range, address, include_self, 1),
            Target::One(NocAddress::Dram(_)) => return Vec::new(),
        };
        let spread = self.rng.below(LATENCY_SPREAD);
        let here = self.coord;
        let mut arrivals = Vec::new();
        for core in range.cores().filter(|core| include_self || *core != here) {
            let at = NocAddress::L1 { core, address };
            let flight = noc::flight(&self.arch, owner.noc, here, at);
            let place = self.arch.core_index(core) * 4 + owner.noc as usize * 2 + kind;
            let last = &mut self.traffic.last_arrival[place];
            *last = (departed + flight + spread).max(*last + 1);
            arrivals.push((core, address, *last));
        }
        arrivals
    }

    fn send(&mut self, to: CoreCoord, cycle: Cycle, action: Action) {
        if to == self.coord {
            return self.schedule(cycle, action);
        }
        self.sequence += 1;
        let scheduled = Scheduled { cycle, from: self.index, sequence: self.sequence, action };
        self.outbox.messages.push((self.arch.core_index(to) as u16, scheduled));
    }

    fn schedule(&mut self, cycle: Cycle, action: Action) {
        self.sequence += 1;
        let (from, sequence) = (self.index, self.sequence);
        self.queue.push(Scheduled { cycle, from, sequence, action });
        self.horizon = self.horizon.min(cycle);
    }

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

    fn check_transfer(
        &self,
        local: L1Address,
        remote: NocAddress,
        bytes: u32,
        alignment: u32,
    ) -> Result<(), StopReason> {
        self.check_l1(local, bytes)?;
        self.check_place(remote, bytes)?;
        let mask = u64::from(alignment) - 1;
        if u64::from(local.0) & mask != remote.low_bits() & mask {
            return Err(StopReason::Misaligned { local, remote, alignment });
        }
        Ok(())
    }

    /// Whether bytes lie inside this core's L1.
    pub(crate) fn check_l1(&self, at: L1Address, bytes: u32) -> Result<(), StopReason> {
        if self.l1.get(at, bytes as usize).is_none() {
            let l1_bytes = self.arch.l1_bytes;
            return Err(StopReason::OutsideL1 { at, bytes, l1_bytes });
        }
        Ok(())
    }

    fn check_place(&self, at: NocAddress, bytes: u32) -> Result<(), StopReason> {
        let exists = match at {
            NocAddress::L1 { core, address } => {
                self.arch.has_core(core) && self.l1.get(address, bytes as usize).is_some()
            }
            NocAddress::Dram(dram) => {
                dram.bank < self.arch.dram_banks
                    && dram.offset.saturating_add(u64::from(bytes)) <= self.run.dram_bytes
            }
        };
        if exists { Ok(()) } else { Err(StopReason::NoSuchPlace { at, bytes }) }
    }
}

fn departure_of(posted: bool) -> Barrier {
    if posted { Barrier::PostedWritesDeparted } else { Barrier::WritesDeparted }
}
