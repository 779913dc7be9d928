//! What a call asks of the networks.
//!
//! Requests of one core leave a network interface in the order of their calls (ISA documentation,
//! NoC/Ordering.md), so that requests of one kind to one place also arrive in that order.

use crate::core::Core;
use crate::data_movement::Channel;
use crate::event::EventKind;
use crate::noc::{self, NocAddress};
use crate::processor::{Barrier, Processor};
use crate::stop::StopReason;
use crate::transfer::queue::{Depart, LandDram, NocRequest};
use crate::transfer::{Target, departure_of};
use crate::units::{Cycle, L1Address};

impl Core {
    /// Issues a read into this core's L1.
    pub(crate) fn issue_read(
        &mut self,
        processor: Processor,
        channel: Channel,
        from: NocAddress,
        to: L1Address,
        bytes: u32,
    ) -> Result<(), StopReason> {
        let alignment = match from {
            NocAddress::L1 { .. } => self.arch.l1_alignment,
            NocAddress::Dram(_) => self.arch.dram_read_alignment,
        };
        self.check_transfer(to, from, bytes, alignment)?;
        let owner = self.owner(processor, channel);
        let id = owner.id;
        self.count(&owner, Barrier::Reads, 1);
        self.emit(processor, EventKind::ReadIssued { id, channel, from, to, bytes });
        let now = self.clocks[processor.index()].cycle;
        match from {
            NocAddress::Dram(at) => {
                let flight = noc::flight(&self.arch, channel.noc, self.coord, from) + self.late();
                let written = self.traffic.written(&self.arch, channel.noc, at.bank);
                let inbound = &mut self.traffic.inbound[channel.noc as usize];
                let landed = (now + flight).max(*inbound).max(written);
                let landed = landed + noc::flits(&self.arch.timing, bytes);
                *inbound = landed;
                if let Some(view) = &self.dram {
                    view.announce(at, bytes as usize);
                }
                self.line_up_at(landed, LandDram { owner, from: at, to, bytes });
            }
            NocAddress::L1 { core, address } => {
                let request = NocRequest::Read { to, bytes };
                let to = Target::One(NocAddress::L1 { core, address });
                let departed = now.max(self.traffic.departed[channel.noc as usize]);
                self.line_up_at(departed, Depart { owner, to, request });
            }
        }
        Ok(())
    }

    /// Issues a write out of this core's L1.
    pub(crate) fn issue_write(
        &mut self,
        processor: Processor,
        channel: Channel,
        from: L1Address,
        to: Target,
        bytes: u32,
        posted: bool,
    ) -> Result<(), StopReason> {
        let alignment = match to.address() {
            NocAddress::L1 { .. } => self.arch.l1_alignment,
            NocAddress::Dram(_) => self.arch.dram_write_alignment,
        };
        self.check_transfer(from, to.address(), bytes, alignment)?;
        self.check_rectangle(to)?;
        let owner = self.owner(processor, channel);
        self.count(&owner, departure_of(posted), 1);
        if !posted {
            self.count(&owner, Barrier::Writes, 1);
        }
        let (id, from_l1) = (owner.id, Some(from));
        let kind = EventKind::WriteIssued { id, channel, from: from_l1, to, bytes, posted };
        self.emit(processor, kind);
        let now = self.clocks[processor.index()].cycle;
        let outbound = &mut self.traffic.outbound[channel.noc as usize];
        *outbound = now.max(*outbound) + noc::flits(&self.arch.timing, bytes);
        let ready = *outbound + self.late();
        let departed = self.departs(channel, ready);
        let late = self.run.noc.landing_delay() + self.schedule.landing();
        let written = self.is_written(channel, to, departed, late);
        if let Target::One(NocAddress::Dram(_)) = to {
            self.spare_leaves.announce(bytes);
        }
        let request = NocRequest::Write { from, bytes, posted, written };
        self.line_up_at(departed, Depart { owner, to, request });
        Ok(())
    }

    /// Issues an inline write: the request carries the word.
    pub(crate) fn issue_inline_write(
        &mut self,
        processor: Processor,
        channel: Channel,
        to: NocAddress,
        value: u32,
        posted: bool,
    ) -> Result<(), StopReason> {
        self.check_word(to, "an inline write")?;
        let owner = self.owner(processor, channel);
        if !posted {
            self.count(&owner, Barrier::Writes, 1);
        }
        let (id, to, bytes) = (owner.id, Target::One(to), 4);
        let kind = EventKind::WriteIssued { id, channel, from: None, to, bytes, posted };
        self.emit(processor, kind);
        let ready = self.clocks[processor.index()].cycle + self.schedule.latency();
        let departed = self.departs(channel, ready);
        let written = self.is_written(channel, to, departed, 0);
        let request = NocRequest::Word { value, posted, written };
        self.line_up_at(departed, Depart { owner, to, request });
        Ok(())
    }

    /// Adds to a word in an L1.
    pub(crate) fn issue_increment(
        &mut self,
        processor: Processor,
        channel: Channel,
        to: Target,
        by: u32,
    ) -> Result<(), StopReason> {
        self.check_word(to.address(), "an atomic")?;
        if let NocAddress::Dram(_) = to.address() {
            // ISA documentation, NoC/Atomics.md: L1 only.
            return Err(StopReason::NotModelled("an atomic on DRAM".to_owned()));
        }
        self.check_rectangle(to)?;
        let owner = self.owner(processor, channel);
        self.count(&owner, Barrier::Atomics, 1);
        self.emit(processor, EventKind::AtomicIssued { id: owner.id, channel, to, by });
        let ready = self.clocks[processor.index()].cycle + self.schedule.latency();
        let departed = self.departs(channel, ready);
        self.line_up_at(departed, Depart { owner, to, request: NocRequest::Increment { by } });
        Ok(())
    }

    /// When a request that is ready leaves: not before those that were issued earlier.
    fn departs(&mut self, channel: Channel, ready: Cycle) -> Cycle {
        let last = &mut self.traffic.departed[channel.noc as usize];
        *last = ready.max(*last);
        *last
    }

    /// When DRAM takes a write that comes so late: not before this core's earlier ones to the same
    /// bank. Of no meaning for writes to L1.
    fn is_written(&mut self, channel: Channel, to: Target, departed: Cycle, late: u64) -> Cycle {
        let Target::One(NocAddress::Dram(at)) = to else { return departed };
        let last = &mut self.traffic.dram_written[channel.noc as usize][usize::from(at.bank)];
        let written = (departed + late).max(last.unwrap_or_default());
        *last = Some(written);
        written
    }
}
