//! Vector clocks: how much of what others did is known to have happened.
//!
//! A clock knows its own core in full and other cores only once a word or a write from there has
//! reached it, so that cores which never communicate pay for one core each. Knows nothing of
//! memory: that is `shadow`.

use std::sync::Arc;

use tilewright_machine::{NocId, Processor};

/// Lines of events on one core, each with a counter of its own.
pub(super) const SLOTS: usize = 20;

/// One line of events of one core: a processor, or transfers that keep an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    core: u16,
    place: u8,
}

/// What a data-movement processor's transfers are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Writes and atomics to one core: one static virtual channel, so they arrive in order.
    Unicast(NocId),
    /// Those to a rectangle, which have a channel of their own.
    Multicast(NocId),
    /// Writes to DRAM. No credit follows them, because DRAM is no core's L1.
    Dram,
    /// Reads, until a barrier: their answers keep no order.
    Read,
    /// Writes as far as they read L1 here, until a flush or a barrier.
    Departure,
}

const LINES: u8 = 7;

impl Slot {
    pub(super) fn processor(core: usize, processor: Processor) -> Slot {
        Slot { core: core as u16, place: processor as u8 }
    }

    pub(super) fn line(core: usize, processor: Processor, line: Line) -> Slot {
        let place = match line {
            Line::Unicast(noc) => noc as u8,
            Line::Multicast(noc) => 2 + noc as u8,
            Line::Dram => 4,
            Line::Read => 5,
            Line::Departure => 6,
        };
        let mover = u8::from(processor == Processor::Writer);
        Slot { core: core as u16, place: 5 + mover * LINES + place }
    }

    #[inline]
    pub(super) fn core(self) -> usize {
        self.core.into()
    }

    #[inline]
    fn place(self) -> usize {
        self.place.into()
    }

    /// The processor, or the one whose transfers these are.
    pub(super) fn owner(self) -> Processor {
        match self.place() {
            place @ 0..5 => Processor::ALL[place],
            place if place < 5 + usize::from(LINES) => Processor::Reader,
            _ => Processor::Writer,
        }
    }

    /// Whether these are transfers.
    pub(super) fn is_line(self) -> bool {
        self.place() >= 5
    }
}

/// What an agent on a core knows.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock {
    own: [u32; SLOTS],
    others: Option<Arc<Vec<u32>>>,
}

impl VectorClock {
    /// Whether a holder on `core` knows of the moment `at` of a line.
    #[inline]
    pub(super) fn knows(&self, core: usize, slot: Slot, at: u32) -> bool {
        if slot.core() == core {
            return self.own[slot.place()] >= at;
        }
        let place = slot.core() * SLOTS + slot.place();
        let known = self.others.as_ref().and_then(|others| others.get(place));
        at == 0 || known.is_some_and(|known| *known >= at)
    }

    /// What is known of a line of the holder's own core.
    #[inline]
    pub(super) fn own(&self, slot: Slot) -> u32 {
        self.own[slot.place()]
    }

    /// Learns that a line of the holder's own core has come to `at`.
    #[inline]
    pub(super) fn learn(&mut self, slot: Slot, at: u32) {
        let known = &mut self.own[slot.place()];
        *known = at.max(*known);
    }

    /// Learns all that another clock of the same core knows.
    #[inline]
    pub(super) fn join(&mut self, other: &VectorClock) {
        for (mine, theirs) in self.own.iter_mut().zip(&other.own) {
            *mine = (*mine).max(*theirs);
        }
        if let Some(theirs) = &other.others {
            self.join_others(theirs);
        }
    }

    fn join_others(&mut self, theirs: &Arc<Vec<u32>>) {
        match &mut self.others {
            None => self.others = Some(Arc::clone(theirs)),
            Some(mine) if Arc::ptr_eq(mine, theirs) => {}
            Some(mine) if covers(theirs, mine) => *mine = Arc::clone(theirs),
            Some(mine) if covers(mine, theirs) => {}
            Some(mine) => raise(Arc::make_mut(mine), 0, theirs),
        }
    }

    /// Learns, on `core`, all that a clock of another core knows.
    pub(super) fn join_from(&mut self, core: usize, other: &VectorClock, other_core: usize) {
        if core == other_core {
            return self.join(other);
        }
        if let Some(theirs) = &other.others {
            for (slot, known) in self.own.iter_mut().enumerate() {
                *known = (*known).max(theirs.get(core * SLOTS + slot).copied().unwrap_or(0));
            }
            self.join_others(theirs);
        }
        let mine = Arc::make_mut(self.others.get_or_insert_default());
        raise(mine, other_core * SLOTS, &other.own);
    }
}

fn covers(over: &[u32], under: &[u32]) -> bool {
    let shared = over.iter().zip(under).all(|(over, under)| over >= under);
    shared && under.iter().skip(over.len()).all(|known| *known == 0)
}

fn raise(known: &mut Vec<u32>, first: usize, by: &[u32]) {
    if known.len() < first + by.len() {
        known.resize(first + by.len(), 0);
    }
    for (known, by) in known[first..].iter_mut().zip(by) {
        *known = (*known).max(*by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_say_whose_they_are() {
        for processor in Processor::ALL {
            let slot = Slot::processor(3, processor);
            assert_eq!((slot.core(), slot.owner(), slot.is_line()), (3, processor, false));
        }
        for processor in [Processor::Reader, Processor::Writer] {
            for line in [Line::Unicast(NocId::Zero), Line::Departure] {
                let slot = Slot::line(7, processor, line);
                assert_eq!((slot.core(), slot.owner(), slot.is_line()), (7, processor, true));
            }
        }
    }

    #[test]
    fn knowledge_goes_through_other_cores() {
        let slot = Slot::processor(1, Processor::Pack);
        let (mut first, mut second, mut third) =
            (VectorClock::default(), VectorClock::default(), VectorClock::default());
        first.learn(slot, 4);
        second.join_from(2, &first, 1);
        third.join_from(0, &second, 2);
        assert!(third.knows(0, slot, 4) && !third.knows(0, slot, 5));
        let mut back = VectorClock::default();
        back.join_from(1, &third, 0);
        assert_eq!(back.own(slot), 4);
    }

    #[test]
    fn unlike_knowledge_of_others_is_put_together() {
        let clock = |core, at| {
            let (mut clock, mut there) = (VectorClock::default(), VectorClock::default());
            there.learn(Slot::processor(core, Processor::Reader), at);
            clock.join_from(0, &there, core);
            clock
        };
        let (mut first, second) = (clock(1, 3), clock(2, 5));
        first.join(&second);
        assert!(first.knows(0, Slot::processor(1, Processor::Reader), 3));
        assert!(first.knows(0, Slot::processor(2, Processor::Reader), 5));
        assert!(!second.knows(0, Slot::processor(1, Processor::Reader), 3));
    }
}
