//! What happens when a request departs, arrives or is answered.

use std::ops::Range;
use std::sync::Arc;

use crate::core::Core;
use crate::event::{Event, EventKind};
use crate::grid::CoreCoord;
use crate::memory::DramView;
use crate::noc::{self, NocAddress};
use crate::processor::Barrier;
use crate::transfer::queue::{Action, DramWrite, Scheduled};
use crate::transfer::{LATENCY_SPREAD, Owner, Target, departure_of};
use crate::units::{Cycle, DramAddress, L1Address};

impl Core {
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
    pub(super) fn deliver(
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
    pub(super) fn arrivals(
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
}
