//! The tool race: bytes that are used while another processor or transfer may still access them.
//!
//! `order` knows what comes before what, `shadow` who touched which bytes, `flights` which
//! transfers are not awaited. This file brings events to them; a file for each kind of finding says
//! what their answers mean.

mod clock;
mod conflicting_access;
mod data_before_credit;
mod flights;
mod ledger;
mod lost_update;
mod order;
mod overwritten_in_flight;
mod read_before_landing;
mod repeated_wait;
mod shadow;
mod signals;
mod skippable_wait;
mod unawaited_read;
mod words;

pub use conflicting_access::ConflictingAccess;
pub use data_before_credit::DataBeforeCredit;
pub use lost_update::LostUpdate;
pub use overwritten_in_flight::OverwrittenInFlight;
pub use read_before_landing::ReadBeforeLanding;
pub use repeated_wait::RepeatedWait;
pub use skippable_wait::SkippableWait;
pub use unawaited_read::UnawaitedRead;

use std::sync::Arc;

use tilewright_machine::{
    CbId, Channel, CoreCoord, Event, EventKind, L1Address, NocAddress, NocId, Outcome, Processor,
    Target, TransferId,
};
use tilewright_metal::Program;

use crate::class::Class;
use crate::covered::{Passed, TransferKind as Kind};
use crate::of_class;
use crate::rings::Rings;
use crate::session::{Checker, Found};
use clock::{Line, Slot};
use flights::{Flight, Flights};
use ledger::{Clash, Ledger, Place};
use order::CoreOrder;
use shadow::{Access, Cells, How};

/// Bytes of the longest write that is one piece in L1 and can so tell something: NoC/Ordering.md
/// has 16 bytes written at once, and longer packets in any order.
const WORD_BYTES: u32 = 16;

/// The checkers of this tool.
pub(crate) fn checkers(program: &Program, _: &Arc<Rings>) -> Vec<Box<dyn Checker>> {
    vec![Box::new(Race::new(program))]
}

/// The checkers of races, which share what they know.
pub(crate) struct Race {
    cores: Vec<CoreOrder>,
    flights: Vec<Flights>,
    l1: Vec<Cells>,
    dram: Vec<Cells>,
    ledger: Ledger,
}

/// A write, from its event.
#[derive(Clone, Copy)]
struct Write {
    id: TransferId,
    channel: Channel,
    from: Option<L1Address>,
    to: Target,
    bytes: u32,
    posted: bool,
}

impl Race {
    pub(crate) fn new(program: &Program) -> Race {
        let mut race = Race {
            cores: Vec::new(),
            flights: Vec::new(),
            l1: Vec::new(),
            dram: Vec::new(),
            ledger: Ledger::default(),
        };
        race.ledger.name_semaphores(program);
        for core in program.cores().iter() {
            race.ledger.name_rings(program, core);
            race.place(core, program.placed_buffers(core));
        }
        race
    }

    fn place(&mut self, coord: CoreCoord, rings: &[tilewright_machine::CbConfig]) -> usize {
        let core = self.ledger.add_core(coord);
        self.cores.push(CoreOrder::new(core, rings));
        self.flights.push(Flights::default());
        self.l1.push(Cells::l1(rings));
        core
    }

    /// A core's number; cores without a kernel get theirs when they are first touched.
    fn number(&mut self, coord: CoreCoord) -> usize {
        match self.ledger.number(coord) {
            Some(core) => core,
            None => self.place(coord, &[]),
        }
    }

    /// A processor touches its own L1.
    fn touch(&mut self, event: &Event, core: usize, how: How, at: L1Address, bytes: u32) {
        let who = event.processor.processor;
        let moment = self.cores[core].now(who);
        self.touch_l1(event, (core, core), (moment, how), at, bytes);
    }

    /// Core `by` touches the L1 of core `of`.
    fn touch_l1(
        &mut self,
        event: &Event,
        (by, of): (usize, usize),
        ((slot, moment), how): ((Slot, u32), How),
        at: L1Address,
        bytes: u32,
    ) {
        let (start, end) = (at.0, at.0.saturating_add(bytes));
        let site = self.ledger.site(event.site);
        let next = Access { at: moment, slot, how, start, end, site, cycle: event.cycle };
        let clock = self.cores[by].clock(event.processor.processor);
        if let Some(old) = self.l1[of].take(&next, clock, by) {
            self.clash(Clash::new(old, next, Place::L1(of)));
        }
    }

    fn touch_dram(
        &mut self,
        event: &Event,
        core: usize,
        ((slot, moment), how): ((Slot, u32), How),
        at: tilewright_machine::DramAddress,
        bytes: u32,
    ) {
        let bank = usize::from(at.bank);
        if self.dram.len() <= bank {
            self.dram.resize_with(bank + 1, Cells::dram);
        }
        let start = u32::try_from(at.offset).unwrap_or(u32::MAX);
        let end = start.saturating_add(bytes);
        let site = self.ledger.site(event.site);
        let next = Access { at: moment, slot, how, start, end, site, cycle: event.cycle };
        let clock = self.cores[core].clock(event.processor.processor);
        if let Some(old) = self.dram[bank].take(&next, clock, core) {
            self.clash(Clash::new(old, next, Place::Dram(at.bank)));
        }
    }

    /// Says what two unordered accesses are, unless an earlier finding explains them.
    fn clash(&mut self, clash: Clash) {
        if self.ledger.is_explained(&clash) {
            return;
        }
        let Clash { old, next, place } = clash;
        let under_way = self.flights[old.slot.core()].find(old.slot.core(), old.slot, old.at);
        let under_way = under_way.copied();
        let in_flight = |how: How| under_way.filter(|_| old.how == how);
        let is_l1 = matches!(place, Place::L1(_));
        let is_remote = |access: &Access| access.how == How::WriteInto;
        let landing = in_flight(How::ReadInto).filter(|_| !next.how.is_write());
        let case = if let Some(flight) = landing {
            read_before_landing::case(&self.ledger, &clash, &flight)
        } else if is_l1 && is_remote(&old) != is_remote(&next) {
            let word = self.signal(&clash);
            data_before_credit::case(&self.ledger, &clash, word)
        } else if let Some(flight) = in_flight(How::WriteFrom) {
            overwritten_in_flight::case(&self.ledger, &clash, &flight)
        } else {
            conflicting_access::case(&self.ledger, &clash, under_way.is_some())
        };
        self.ledger.add(case, &clash);
    }

    /// The word that the sender of data has sent to the same core after it.
    fn signal(&self, clash: &Clash) -> Option<tilewright_machine::Site> {
        let Place::L1(core) = clash.place else { return None };
        let (old, sender) = (clash.old, clash.old.slot);
        let sender = Slot::processor(sender.core(), sender.owner());
        self.cores[core].word_from(sender, old.cycle)
    }

    fn pushed(&mut self, event: &Event, core: usize, cb: CbId, pages: u32) {
        let who = event.processor.processor;
        let Some((start, end)) = self.cores[core].push(who, cb, pages) else { return };
        if self.flights[core].is_empty() {
            return;
        }
        let reads = self.flights[core].iter().filter(|flight| flight.kind == Kind::Read);
        for flight in reads.filter(|flight| flight.uses(start, end)) {
            let case = unawaited_read::case(&self.ledger, event, cb, flight);
            self.ledger.add_transfer(case, flight, core);
        }
    }

    fn popped(&mut self, event: &Event, core: usize, cb: CbId, pages: u32) {
        let who = event.processor.processor;
        let Some((start, end)) = self.cores[core].pop(who, cb, pages) else { return };
        if self.flights[core].is_empty() {
            return;
        }
        for flight in self.flights[core].iter().filter(|flight| flight.uses(start, end)) {
            let case = match flight.kind {
                Kind::Read => unawaited_read::case(&self.ledger, event, cb, flight),
                // Only the sender refills the page, and it may learn of the arrival first.
                _ if self.cores[core].is_producer(flight.processor, cb) => continue,
                Kind::Write { .. } | Kind::Atomic => {
                    overwritten_in_flight::at_pop(&self.ledger, event, cb, flight)
                }
            };
            self.ledger.add_transfer(case, flight, core);
        }
    }

    fn read(&mut self, event: &Event, core: usize, flight: Flight, from: NocAddress) {
        let Some((start, end)) = flight.bytes else { return };
        let (bytes, moment) = (end - start, (flight.slot(core), flight.at));
        match from {
            NocAddress::Dram(at) => {
                self.touch_dram(event, core, (moment, How::ReadFrom), at, bytes);
            }
            NocAddress::L1 { core: coord, address } => {
                let of = self.number(coord);
                self.touch_l1(event, (core, of), (moment, How::ReadFrom), address, bytes);
            }
        }
        let to = L1Address(start);
        self.touch_l1(event, (core, core), (moment, How::ReadInto), to, bytes);
        self.flights[core].add(flight);
    }

    fn flight(&mut self, event: &Event, core: usize, write: Write, kind: Kind) -> Flight {
        let processor = event.processor.processor;
        let line = match kind {
            Kind::Read => Line::Read,
            Kind::Write { .. } | Kind::Atomic => Line::Departure,
        };
        let (_, at) = self.cores[core].issue(processor, line);
        Flight {
            id: write.id,
            processor,
            channel: write.channel,
            kind,
            bytes: write.from.map(|from| (from.0, from.0.saturating_add(write.bytes))),
            at,
            arrival: None,
            site: event.site,
            is_done: false,
            is_flushed: false,
        }
    }

    fn write(&mut self, event: &Event, core: usize, write: Write) {
        let who = event.processor.processor;
        let mut flight = self.flight(event, core, write, Kind::Write { posted: write.posted });
        if let Some(from) = write.from
            && !(write.bytes <= WORD_BYTES && self.cores[core].is_signal(from.0))
        {
            let moment = (flight.slot(core), flight.at);
            self.touch_l1(event, (core, core), (moment, How::WriteFrom), from, write.bytes);
        }
        let line = line(write.to, write.channel.noc);
        let moment = self.cores[core].issue(who, line);
        flight.arrival = Some(moment);
        self.flights[core].add(flight);
        self.write_into(event, core, write, moment);
    }

    fn write_into(&mut self, event: &Event, core: usize, write: Write, moment: (Slot, u32)) {
        let is_word = write.bytes <= WORD_BYTES;
        let mut cores = 0;
        match write.to {
            Target::One(NocAddress::Dram(at)) => {
                return self.touch_dram(event, core, (moment, How::WriteInto), at, write.bytes);
            }
            Target::One(NocAddress::L1 { core: coord, address }) => {
                cores += 1;
                self.write_there(event, core, (coord, address, write), moment);
            }
            Target::Cores { range, address, include_self } => {
                let here = event.processor.core;
                for coord in range.cores().filter(|coord| include_self || *coord != here) {
                    cores += 1;
                    self.write_there(event, core, (coord, address, write), moment);
                }
            }
        }
        if is_word && cores > 0 {
            self.send(event, core, (write.id, moment, cores), false);
        }
    }

    /// Bytes that a multicast brings back to where they come from stay as they are: nobody may
    /// write them before they have arrived, and anybody may read them.
    fn write_there(
        &mut self,
        event: &Event,
        core: usize,
        (coord, to, write): (CoreCoord, L1Address, Write),
        moment: (Slot, u32),
    ) {
        let (of, bytes) = (self.number(coord), write.bytes);
        let how = match of == core && write.from == Some(to) {
            true => How::WriteFrom,
            false => How::WriteInto,
        };
        if bytes > WORD_BYTES || !self.cores[of].is_signal(to.0) {
            self.touch_l1(event, (core, of), (moment, how), to, bytes);
        }
    }

    /// A processor has seen a word, and with it what the word's writer knew.
    fn heard(&mut self, who: Processor, core: usize) {
        if !self.flights[core].is_empty() {
            let clock = self.cores[core].clock_mut(who);
            self.flights[core].heard((core, who), clock);
        }
    }

    fn passed(&mut self, who: Processor, core: usize, passed: Passed) {
        if !self.flights[core].is_empty() {
            let clock = self.cores[core].clock_mut(who);
            self.flights[core].pass((core, who), passed, clock);
        }
    }

    fn unpacked(
        &mut self,
        event: &Event,
        core: usize,
        operands: [Option<L1Address>; 2],
        bytes: [u32; 2],
    ) {
        for (at, bytes) in operands.into_iter().zip(bytes) {
            if let Some(at) = at {
                self.touch(event, core, How::Unpack, at, bytes);
            }
        }
        self.cores[core].fill();
    }

    fn movement(&mut self, event: &Event, core: usize) {
        match event.kind {
            EventKind::ReadIssued { id, channel, from, to, bytes } => {
                let target = Target::One(from);
                let write = Write { id, channel, from: Some(to), to: target, bytes, posted: false };
                let flight = self.flight(event, core, write, Kind::Read);
                self.read(event, core, flight, from);
            }
            EventKind::WriteIssued { id, channel, from, to, bytes, posted } => {
                self.write(event, core, Write { id, channel, from, to, bytes, posted });
            }
            EventKind::AtomicIssued { id, channel, to, .. } => {
                self.atomic(event, core, id, (channel, to));
            }
            EventKind::ReadLanded { id } | EventKind::WriteDeparted { id } => {
                self.flights[core].done(id);
            }
            EventKind::Arrived { id, core: coord, to, bytes } if bytes <= WORD_BYTES => {
                self.arrived(event, core, (id, coord), to);
            }
            EventKind::BarrierPassed { noc, barrier, transaction } => {
                let who = event.processor.processor;
                self.passed(who, core, Passed { noc, barrier, transaction });
            }
            EventKind::Arrived { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicAcknowledged { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Word, Kernel) => {}
        }
    }
}

/// The line on which a request goes.
fn line(to: Target, noc: NocId) -> Line {
    match to {
        Target::One(NocAddress::Dram(_)) => Line::Dram,
        Target::One(NocAddress::L1 { .. }) => Line::Unicast(noc),
        Target::Cores { .. } => Line::Multicast(noc),
    }
}

impl Checker for Race {
    fn classes(&self) -> &'static [Class] {
        &[
            Class::Ring,
            Class::Section,
            Class::Unpack,
            Class::Matrix,
            Class::Pack,
            Class::Network,
            Class::Word,
        ]
    }

    fn event(&mut self, event: &Event, found: &mut Found) {
        let who = event.processor.processor;
        let Some(core) = self.ledger.number(event.processor.core) else { return };
        match event.kind {
            EventKind::Pushed { cb, pages } => self.pushed(event, core, cb, pages),
            EventKind::Popped { cb, pages } => self.popped(event, core, cb, pages),
            EventKind::Waited { cb, .. } => self.cores[core].wait(who, cb),
            EventKind::Reserved { cb, .. } => self.cores[core].reserve(who, cb),
            EventKind::PointerMoved { cb, pointer, to } => {
                self.cores[core].move_pointer(who, cb, (pointer, to));
            }
            EventKind::DstCommitted => self.cores[core].commit(),
            EventKind::DstWaited => self.cores[core].wait_commit(),
            EventKind::DstReleased => self.cores[core].release(),
            EventKind::DstAcquired => self.cores[core].acquire(),
            EventKind::Unpacked { a, b, bytes, .. } => {
                self.unpacked(event, core, [a, b], bytes);
            }
            EventKind::Computed { .. } => self.cores[core].drain(),
            EventKind::Packed { to, bytes, .. } => self.touch(event, core, How::Pack, to, bytes),
            EventKind::SemaphoreSet { at, .. } => self.set_word(event, core, at),
            EventKind::SemaphoreWaited { at, until } => {
                self.cores[core].await_word(who, at, until, (event.site, event.cycle));
                self.heard(who, core);
            }
            EventKind::L1Read { at, bytes } => self.loaded(event, core, at, bytes),
            EventKind::L1Written { at, bytes } => self.stored(event, core, at, bytes),
            of_class!(Network) => self.movement(event, core),
            EventKind::StartedUp
            | EventKind::StartupRepeated
            | EventKind::Zeros { .. }
            | of_class!(Wait, UnpackFormat, AluFormat, Operation, PackSetting, Vector, Kernel) => {}
        }
        if let Some((id, site)) = self.ledger.take_noted() {
            found.token(id, site);
        }
    }

    fn end(&mut self, _program: &Program, _outcome: &Outcome, found: &mut Found) {
        repeated_wait::blame(&mut self.ledger, &self.cores);
        self.ledger.tell(found);
    }
}
