//! What a call asks of the networks.

use std::sync::Arc;

use crate::core::Core;
use crate::event::EventKind;
use crate::noc::{self, NocAddress, NocId};
use crate::processor::{Barrier, Processor};
use crate::stop::StopReason;
use crate::transfer::queue::Action;
use crate::transfer::{Target, departure_of};
use crate::units::L1Address;

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
}
