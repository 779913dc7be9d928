//! Transfers that no barrier of their processor has covered yet.
//!
//! A transfer leaves this list when its processor has waited for it, not when it ends: until then
//! nothing but luck says that it has.

use tilewright_machine::{Channel, Processor, Site, TransferId};

use super::clock::{Line, Slot, VectorClock};
use crate::covered::{Covered, Passed, TransferKind as Kind};

/// A transfer under way, as far as its processor knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) id: TransferId,
    pub(super) processor: Processor,
    pub(super) channel: Channel,
    pub(super) kind: Kind,
    /// Its bytes in its own core's L1; none for a word that the request carries.
    pub(super) bytes: Option<(u32, u32)>,
    /// Its moment on the line of reads or of departures.
    pub(super) at: u32,
    /// Its moment on the line to where it goes, if it goes somewhere.
    pub(super) arrival: Option<(Slot, u32)>,
    pub(super) site: Site,
    /// Whether its bytes have landed or left, which its processor does not know.
    pub(super) is_done: bool,
    /// Whether a flush has covered its departure.
    pub(super) is_flushed: bool,
}

impl Flight {
    /// Whether it still uses bytes of its own core's L1, as far as anybody knows.
    pub(super) fn uses(&self, start: u32, end: u32) -> bool {
        !self.is_flushed && self.bytes.is_some_and(|(first, last)| first < end && start < last)
    }

    /// The line on which its use of L1 ends.
    pub(super) fn slot(&self, core: usize) -> Slot {
        let line = match self.kind {
            Kind::Read => Line::Read,
            Kind::Write { .. } | Kind::Atomic => Line::Departure,
        };
        Slot::line(core, self.processor, line)
    }
}

/// The transfers under way of one core, in the order of their calls.
#[derive(Default)]
pub(super) struct Flights {
    list: Vec<Flight>,
}

impl Flights {
    pub(super) fn add(&mut self, flight: Flight) {
        self.list.push(flight);
    }

    /// An atomic stands for those before it on the same path: a wait for it is a wait for them.
    pub(super) fn add_atomic(&mut self, atomic: Flight) {
        let line = |flight: &Flight| flight.arrival.map(|(slot, _)| slot);
        let is_same = |it: &Flight| {
            it.kind == Kind::Atomic && it.channel == atomic.channel && line(it) == line(&atomic)
        };
        self.list.retain(|flight| !is_same(flight));
        self.list.push(atomic);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Flight> {
        self.list.iter()
    }

    /// The transfer with a moment on a line, if it is not awaited.
    pub(super) fn find(&self, core: usize, slot: Slot, at: u32) -> Option<&Flight> {
        let same = |flight: &&Flight| flight.at == at && flight.slot(core) == slot;
        self.list.iter().find(|flight| same(flight) && !flight.is_flushed)
    }

    /// A transfer's bytes have landed or left.
    pub(super) fn done(&mut self, id: TransferId) {
        if let Ok(place) = self.list.binary_search_by_key(&id, |flight| flight.id) {
            self.list[place].is_done = true;
        }
    }

    /// A processor has heard from others: what it knows to have arrived has left its L1, if all
    /// that it sent before has. One receiver of several is enough, because a multicast leaves once.
    pub(super) fn heard(&mut self, (core, processor): (usize, Processor), clock: &mut VectorClock) {
        let mut is_next = true;
        self.list.retain(|flight| {
            let is_write = matches!(flight.kind, Kind::Write { .. }) && flight.bytes.is_some();
            if !is_next || !is_write || flight.processor != processor {
                return true;
            }
            let is_known = flight.arrival.is_some_and(|(slot, at)| clock.knows(core, slot, at));
            is_next = is_known || flight.is_flushed;
            if is_known {
                clock.learn(flight.slot(core), flight.at);
            }
            !is_known
        });
    }

    /// A barrier was passed: its processor learns what it covers.
    pub(super) fn pass(
        &mut self,
        (core, processor): (usize, Processor),
        passed: Passed,
        clock: &mut VectorClock,
    ) {
        self.list.retain_mut(|flight| {
            let is_own = flight.processor == processor;
            let covered = is_own.then(|| passed.covers(flight.kind, flight.channel)).flatten();
            let Some(covered) = covered else { return true };
            if flight.bytes.is_some() {
                clock.learn(flight.slot(core), flight.at);
            }
            flight.is_flushed = true;
            if let (Covered::Whole, Some((slot, at))) = (covered, flight.arrival) {
                clock.learn(slot, at);
            }
            covered == Covered::Departure && flight.kind == Kind::Write { posted: false }
        });
    }
}
