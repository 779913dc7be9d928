//! What will happen on a core, the earliest first.
//!
//! Reads land, requests depart and acknowledgements come back in the order in which they were asked
//! for, nearly always: each of these kinds waits in a line of its own, which costs nothing to keep
//! in order. What does not fit at the end of its line, and everything else, goes to a heap.
//!
//! A line holds its kind alone, so that fields are stored and loaded one by one. An action would be
//! stored in parts and copied in longer pieces, each time a store-forwarding stall of the host.

use std::collections::{BinaryHeap, VecDeque};

use super::queue::{Acknowledge, Action, Depart, Key, LandDram, Scheduled};
use crate::units::Cycle;

/// Where things wait: a line for each kind that has one, and the heap.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Landings,
    Departures,
    Acknowledgements,
    Rest,
}

impl Place {
    const ALL: [Place; 4] =
        [Place::Landings, Place::Departures, Place::Acknowledgements, Place::Rest];
}

/// A kind that has a line.
pub(crate) trait InLine: Copy + Into<Action> {
    const PLACE: Place;
    fn line(lines: &mut Lines) -> &mut VecDeque<(Key, Self)>;
}

/// What waits in order.
#[derive(Default)]
pub(crate) struct Lines {
    landings: VecDeque<(Key, LandDram)>,
    departures: VecDeque<(Key, Depart)>,
    acknowledgements: VecDeque<(Key, Acknowledge)>,
}

macro_rules! in_line {
    ($kind:ident, $place:ident, $line:ident) => {
        impl InLine for $kind {
            const PLACE: Place = Place::$place;
            #[inline(always)]
            fn line(lines: &mut Lines) -> &mut VecDeque<(Key, Self)> {
                &mut lines.$line
            }
        }

        impl From<$kind> for Action {
            fn from(it: $kind) -> Action {
                Action::$kind(it)
            }
        }
    };
}

in_line!(LandDram, Landings, landings);
in_line!(Depart, Departures, departures);
in_line!(Acknowledge, Acknowledgements, acknowledgements);

/// What will happen on a core.
pub(crate) struct Agenda {
    lines: Lines,
    rest: BinaryHeap<Scheduled>,
    /// The keys of what is first in each place.
    firsts: [Key; Place::ALL.len()],
    /// The keys of what is last in each line.
    lasts: [Key; Place::ALL.len()],
    /// Where the earliest of all is.
    earliest: Place,
}

/// The key of nothing: later than all others.
const NOTHING: Key = (Cycle::NEVER, u16::MAX, u64::MAX);

impl Default for Agenda {
    fn default() -> Agenda {
        Agenda {
            lines: Lines::default(),
            rest: BinaryHeap::new(),
            firsts: [NOTHING; Place::ALL.len()],
            lasts: [NOTHING; Place::ALL.len()],
            earliest: Place::Landings,
        }
    }
}

impl Agenda {
    /// Adds what happens in any order.
    pub(crate) fn push(&mut self, scheduled: Scheduled) {
        self.announce(Place::Rest, scheduled.key());
        self.rest.push(scheduled);
    }

    /// Adds what mostly happens in the order in which it is scheduled.
    #[inline(always)]
    pub(crate) fn line_up<T: InLine>(&mut self, key: Key, what: T) {
        let place = T::PLACE as usize;
        if self.firsts[place] != NOTHING && self.lasts[place] >= key {
            let (cycle, from, sequence) = key;
            return self.push(Scheduled { cycle, from, sequence, action: what.into() });
        }
        T::line(&mut self.lines).push_back((key, what));
        self.lasts[place] = key;
        self.announce(T::PLACE, key);
    }

    fn announce(&mut self, place: Place, key: Key) {
        let first = &mut self.firsts[place as usize];
        *first = (*first).min(key);
        if key < self.firsts[self.earliest as usize] {
            self.earliest = place;
        }
    }

    /// When the earliest happens.
    pub(crate) fn next_cycle(&self) -> Cycle {
        self.firsts[self.earliest as usize].0
    }

    /// Where the earliest waits.
    pub(crate) fn earliest(&self) -> Place {
        self.earliest
    }

    /// Takes the first of a line, which is the earliest of all.
    #[inline(always)]
    pub(crate) fn next_in_line<T: InLine>(&mut self) -> T {
        let line = T::line(&mut self.lines);
        let (_, what) = line.pop_front().expect("the earliest is there");
        let next = line.front().map_or(NOTHING, |(key, _)| *key);
        self.took(T::PLACE, next);
        what
    }

    /// Takes the first of the heap, which is the earliest of all.
    pub(crate) fn next_of_rest(&mut self) -> Scheduled {
        let first = self.rest.pop().expect("the earliest is there");
        let next = self.rest.peek().map_or(NOTHING, Scheduled::key);
        self.took(Place::Rest, next);
        first
    }

    /// Notes what is first in a place now, and finds the earliest of all.
    fn took(&mut self, place: Place, next: Key) {
        self.firsts[place as usize] = next;
        for place in Place::ALL {
            if self.firsts[place as usize] < self.firsts[self.earliest as usize] {
                self.earliest = place;
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next_cycle() == Cycle::NEVER
    }

    pub(crate) fn clear(&mut self) {
        let Lines { landings, departures, acknowledgements } = &mut self.lines;
        landings.clear();
        departures.clear();
        acknowledgements.clear();
        self.rest.clear();
        let (lines, rest) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.rest));
        *self = Agenda { lines, rest, ..Agenda::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_movement::Channel;
    use crate::event::TransferId;
    use crate::noc::{NocAddress, NocId};
    use crate::processor::{Barrier, Processor, ProcessorId};
    use crate::rng::Rng;
    use crate::transfer::queue::NocRequest;
    use crate::transfer::{Owner, Target};
    use crate::units::{DramAddress, L1Address};
    use crate::{CoreCoord, Site};

    /// Schedules one of some kinds of actions.
    fn schedule(agenda: &mut Agenda, cycle: Cycle, sequence: u64, kind: u64) {
        let owner = Owner {
            processor: ProcessorId { core: CoreCoord::new(0, 0), processor: Processor::Reader },
            site: Site::KERNEL,
            channel: Channel { noc: NocId::Zero, transaction: 0 },
            id: TransferId(1),
        };
        let to = L1Address(0);
        let key = (cycle, 0, sequence);
        match kind {
            0 => {
                let from = DramAddress { bank: 0, offset: 0 };
                agenda.line_up(key, LandDram { owner, from, to, bytes: 4 });
            }
            1 => agenda.line_up(key, Acknowledge { owner, barrier: Barrier::Writes }),
            2 => {
                let at = Target::One(NocAddress::Dram(DramAddress { bank: 0, offset: 0 }));
                let request = NocRequest::Read { to, bytes: 4 };
                agenda.line_up(key, Depart { owner, to: at, request });
            }
            _ => {
                let action = Action::Increment { owner, to, by: 1 };
                agenda.push(Scheduled { cycle, from: 0, sequence, action });
            }
        }
    }

    /// Takes the earliest; says which it was.
    fn take(agenda: &mut Agenda) -> (Cycle, u64) {
        let (cycle, _, sequence) = agenda.firsts[agenda.earliest as usize];
        match agenda.earliest() {
            Place::Landings => drop(agenda.next_in_line::<LandDram>()),
            Place::Departures => drop(agenda.next_in_line::<Depart>()),
            Place::Acknowledgements => drop(agenda.next_in_line::<Acknowledge>()),
            Place::Rest => {
                let taken = agenda.next_of_rest();
                assert_eq!((taken.cycle, taken.sequence), (cycle, sequence));
            }
        }
        (cycle, sequence)
    }

    #[test]
    fn everything_comes_out_in_order_whatever_the_order_it_went_in() {
        let (mut rng, mut agenda, mut wanted) = (Rng::new(7, 0), Agenda::default(), Vec::new());
        let mut came = Vec::new();
        for sequence in 0..2_000 {
            let cycle = Cycle(sequence + rng.below(64));
            schedule(&mut agenda, cycle, sequence, rng.below(4));
            wanted.push((cycle, sequence));
            // What is due is taken out in between, as a run does.
            while agenda.next_cycle().0 < sequence {
                came.push(take(&mut agenda));
            }
        }
        while !agenda.is_empty() {
            came.push(take(&mut agenda));
        }
        wanted.sort();
        assert_eq!(came, wanted);
    }

    #[test]
    fn what_was_cleared_holds_nothing_up() {
        let mut agenda = Agenda::default();
        for kind in 0..4 {
            schedule(&mut agenda, Cycle(9), kind, kind);
        }
        agenda.clear();
        assert!(agenda.is_empty());
        for kind in 0..4 {
            schedule(&mut agenda, Cycle(5), kind, kind);
        }
        assert_eq!(agenda.rest.len(), 1, "what has a line waits there");
        for sequence in 0..4 {
            assert_eq!(take(&mut agenda), (Cycle(5), sequence));
        }
        assert!(agenda.is_empty());
    }
}
