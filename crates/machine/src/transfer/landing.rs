//! What happens when a request departs, arrives or is answered.

use std::sync::Arc;

use crate::core::Core;
use crate::event::EventKind;
use crate::grid::{CoreCoord, CoreRange};
use crate::noc::{self, NocAddress};
use crate::processor::{Barrier, Changes};
use crate::transfer::agenda::Place;
use crate::transfer::queue::{Acknowledge, Action, Depart, LandDram, NocRequest, Scheduled};
use crate::transfer::{Kind, Owner, Target, departure_of};
use crate::units::{Cycle, DramAddress, L1Address};

impl Core {
    /// Does what is due next.
    #[inline(never)]
    pub(crate) fn act_on_next(&mut self) {
        self.now = self.queue.next_cycle();
        match self.queue.earliest() {
            Place::Landings => {
                let landing = self.queue.next_in_line();
                self.land_dram(&landing);
            }
            Place::Departures => {
                let departure = self.queue.next_in_line();
                self.depart(&departure);
            }
            Place::Acknowledgements => {
                let acknowledged = self.queue.next_in_line();
                self.take_acknowledgement(&acknowledged);
            }
            Place::Rest => {
                let due = self.queue.next_of_rest();
                self.act(&due);
            }
        }
        self.stir(Changes::TRANSFERS);
    }

    fn act(&mut self, due: &Scheduled) {
        let cycle = self.now;
        match &due.action {
            Action::LandDram(landing) => self.land_dram(landing),
            Action::Depart(departure) => self.depart(departure),
            Action::Acknowledge(acknowledged) => self.take_acknowledgement(acknowledged),
            Action::LandBytes { owner, to, data } => {
                self.take_in(*to, data);
                self.landed(cycle, owner);
            }
            &Action::Serve { owner, from, to, bytes } => self.serve(cycle, owner, from, to, bytes),
            Action::WriteDram { owner, to, data, posted } => {
                self.write_dram(cycle, *to, data);
                self.acknowledge_dram(owner, cycle, *to, *posted);
            }
            Action::Write { owner, to, data } => {
                self.take_in(*to, data);
                self.arrived(cycle, owner, *to, data.len() as u32);
            }
            Action::Increment { owner, to, by } => {
                let value = self.l1.word(*to).expect("checked at issue");
                self.detach(*to, 4);
                self.l1.set_word(*to, value.wrapping_add(*by));
                self.arrived(cycle, owner, *to, 4);
            }
        }
    }

    #[inline(always)]
    fn land_dram(&mut self, landing: &LandDram) {
        let LandDram { owner, from, to, bytes } = *landing;
        self.detach(to, bytes);
        let place = self.l1.get_mut(to, bytes as usize).expect("checked");
        let view = self.dram.as_ref().expect("there in a window");
        view.read(from, place);
        self.outbox.overlay(from, place);
        self.landed(self.now, &owner);
    }

    #[inline(always)]
    fn take_acknowledgement(&mut self, acknowledged: &Acknowledge) {
        let Acknowledge { owner, barrier } = *acknowledged;
        self.count(&owner, barrier, -1);
        let kind = match barrier {
            Barrier::Atomics => EventKind::AtomicAcknowledged { id: owner.id },
            Barrier::Writes
            | Barrier::Reads
            | Barrier::WritesDeparted
            | Barrier::PostedWritesDeparted => EventKind::WriteAcknowledged { id: owner.id },
        };
        self.emit_at(self.now, owner.processor, owner.site, kind);
    }

    /// Bytes from elsewhere reach L1.
    fn take_in(&mut self, to: L1Address, data: &[u8]) {
        self.detach(to, data.len() as u32);
        self.l1.get_mut(to, data.len()).expect("checked").copy_from_slice(data);
    }

    fn landed(&mut self, cycle: Cycle, owner: &Owner) {
        self.count(owner, Barrier::Reads, -1);
        let kind = EventKind::ReadLanded { id: owner.id };
        self.emit_at(cycle, owner.processor, owner.site, kind);
    }

    fn arrived(&mut self, cycle: Cycle, owner: &Owner, to: L1Address, bytes: u32) {
        let kind = EventKind::Arrived { id: owner.id, core: self.coord, to, bytes };
        self.emit_at(cycle, owner.processor, owner.site, kind);
    }

    fn serve(&mut self, cycle: Cycle, owner: Owner, from: L1Address, to: L1Address, bytes: u32) {
        let data: Arc<[u8]> = Arc::from(self.l1.get(from, bytes as usize).expect("checked"));
        let reader = owner.processor.core;
        let back = NocAddress::L1 { core: reader, address: to };
        let flight = noc::flight(&self.arch, owner.channel.noc, self.coord, back);
        let late = self.schedule.latency();
        let landed = cycle + flight + noc::flits(&self.arch.timing, bytes) + late;
        let landed = landed.max(self.earliest(reader));
        self.send(reader, landed, Action::LandBytes { owner, to, data });
    }

    #[inline(always)]
    fn depart(&mut self, departure: &Depart) {
        let Depart { ref owner, to, request } = *departure;
        let cycle = self.now;
        match request {
            NocRequest::Read { to: here, bytes } => self.ask(cycle, owner, to, here, bytes),
            NocRequest::Write { from, bytes, posted, written } => {
                self.count(owner, departure_of(posted), -1);
                let kind = EventKind::WriteDeparted { id: owner.id };
                self.emit_at(cycle, owner.processor, owner.site, kind);
                let late = self.run.noc.landing_delay();
                self.send_bytes((cycle, written, late), owner, to, (from, bytes), posted);
            }
            NocRequest::Word { value, posted, written } => {
                let data: Arc<[u8]> = Arc::from(value.to_le_bytes().as_slice());
                match to {
                    Target::One(NocAddress::Dram(to)) => {
                        let write = Action::WriteDram { owner: *owner, to, data, posted };
                        self.schedule_at(written, write);
                    }
                    Target::One(NocAddress::L1 { .. }) | Target::Cores { .. } => {
                        self.deliver(cycle, owner, to, &data, posted);
                    }
                }
            }
            NocRequest::Increment { by } => {
                let last = self.send_each(cycle, owner, to, |owner, to| Action::Increment {
                    owner,
                    to,
                    by,
                });
                let back = last + self.arch.timing.noc_least + self.schedule.latency();
                let barrier = Barrier::Atomics;
                self.line_up_at(back, Acknowledge { owner: *owner, barrier });
            }
        }
    }

    /// Sends a read's request to the core that has the bytes, behind earlier writes to it.
    fn ask(&mut self, departed: Cycle, owner: &Owner, from: Target, to: L1Address, bytes: u32) {
        let Target::One(NocAddress::L1 { core, address }) = from else {
            unreachable!("DRAM answers without a request, and no read asks many cores")
        };
        let (late, earliest) = (self.late(), self.earliest(core));
        let noc = owner.channel.noc;
        let flight = noc::flight(&self.arch, noc, self.coord, from.address());
        let place = self.arch.core_index(core);
        let written = *self.traffic.arrived(place, noc, Kind::Unicast);
        let last = self.traffic.arrived(place, noc, Kind::Read);
        *last = (departed + flight + late).max(*last + 1).max(written + 1).max(earliest);
        let arrived = *last;
        self.send(core, arrived, Action::Serve { owner: *owner, from: address, to, bytes });
    }

    /// When a core can be reached at the earliest: others not before the next window.
    fn earliest(&self, core: CoreCoord) -> Cycle {
        if core == self.coord { Cycle(0) } else { self.window_end }
    }

    /// Sends bytes that leave L1 now; L1s elsewhere get them so late.
    fn send_bytes(
        &mut self,
        (departed, written, late): (Cycle, Cycle, u64),
        owner: &Owner,
        to: Target,
        (from, bytes): (L1Address, u32),
        posted: bool,
    ) {
        let Target::One(NocAddress::Dram(at)) = to else {
            let data = Arc::from(self.l1.get(from, bytes as usize).expect("checked at issue"));
            return self.deliver(departed + late, owner, to, &data, posted);
        };
        let data = self.l1.get(from, bytes as usize).expect("checked at issue");
        if written > departed {
            let (owner, to, data) = (*owner, at, Arc::from(data));
            self.schedule_at(written, Action::WriteDram { owner, to, data, posted });
        } else {
            self.sequence += 1;
            let key = (departed, self.sequence);
            self.outbox.write(key, at, data, &mut self.spare_leaves);
            self.acknowledge_dram(owner, departed, at, posted);
        }
    }

    /// Sends bytes to L1s, and the acknowledgement back.
    fn deliver(
        &mut self,
        departed: Cycle,
        owner: &Owner,
        to: Target,
        data: &Arc<[u8]>,
        posted: bool,
    ) {
        let write = |owner, to| Action::Write { owner, to, data: Arc::clone(data) };
        let last = self.send_each(departed, owner, to, write);
        if !posted {
            let back = last + self.arch.timing.noc_least + self.schedule.latency();
            self.line_up_at(back, Acknowledge { owner: *owner, barrier: Barrier::Writes });
        }
    }

    /// DRAM takes a write at the end of the window in which it left: before any acknowledgement.
    fn write_dram(&mut self, cycle: Cycle, at: DramAddress, data: &[u8]) {
        self.sequence += 1;
        self.outbox.write((cycle, self.sequence), at, data, &mut self.spare_leaves);
    }

    fn acknowledge_dram(&mut self, owner: &Owner, written: Cycle, at: DramAddress, posted: bool) {
        if !posted {
            let at = NocAddress::Dram(at);
            let flight = noc::flight(&self.arch, owner.channel.noc, self.coord, at);
            let back = written + 2 * flight + self.schedule.latency();
            self.line_up_at(back, Acknowledge { owner: *owner, barrier: Barrier::Writes });
        }
    }

    /// Sends an action to every core that a target means, never to arrive before an earlier
    /// request of the same kind from here. Returns when the last arrives.
    fn send_each(
        &mut self,
        departed: Cycle,
        owner: &Owner,
        to: Target,
        action: impl Fn(Owner, L1Address) -> Action,
    ) -> Cycle {
        let (range, address, include_self, kind): (CoreRange, _, _, _) = match to {
            Target::One(NocAddress::L1 { core, address }) => {
                (core.into(), address, true, Kind::Unicast)
            }
            Target::Cores { range, address, include_self } => {
                (range, address, include_self, Kind::Multicast)
            }
            Target::One(NocAddress::Dram(_)) => unreachable!("DRAM has no actions of its own"),
        };
        let (here, noc) = (self.coord, owner.channel.noc);
        let mut last = departed;
        for core in range.cores().filter(|core: &CoreCoord| include_self || *core != here) {
            let at = NocAddress::L1 { core, address };
            let flight = noc::flight(&self.arch, noc, here, at);
            let (place, earliest) = (self.arch.core_index(core), self.earliest(core));
            let late = self.schedule.latency();
            let arrived = self.traffic.arrived(place, noc, kind);
            *arrived = (departed + flight + late).max(*arrived + 1).max(earliest);
            let arrived = *arrived;
            last = last.max(arrived);
            self.send(core, arrived, action(*owner, address));
        }
        last
    }
}
