//! What comes before what: buffers, semaphores, Dst, sources and credits hand knowledge on.
//!
//! Knows clocks and who gave which to whom. Does not know memory, and judges nothing.

use std::collections::BTreeMap;

use tilewright_machine::{
    CbConfig, CbId, CircularBuffer, Cycle, L1Address, Processor, RingPointer, SemaphoreTest, Site,
    TransferId,
};

use super::clock::{Line, Slot, VectorClock};
use super::words::{Change, ExactWait, Hazard, How, RepeatedWait, Word};

/// A ring's positions, and what its pushes and pops hand on.
pub(super) struct Ring {
    positions: CircularBuffer,
    /// Who has pushed last: popped pages go back there.
    producer: Option<Processor>,
    pushed: VectorClock,
    popped: VectorClock,
}

/// A word on its way, with what its sender knew.
struct Signal {
    id: TransferId,
    clock: VectorClock,
    on: (Slot, u32),
    sender: (Slot, Site, Cycle),
    is_atomic: bool,
    arrivals_left: usize,
}

/// One core's clocks and what lies between them.
pub(super) struct CoreOrder {
    core: usize,
    clocks: [VectorClock; 5],
    /// The last moment of each line of transfers.
    issued: VectorClock,
    rings: Vec<Option<Ring>>,
    committed: VectorClock,
    released: VectorClock,
    unpacked: VectorClock,
    words: BTreeMap<u32, Word>,
    signals: Vec<Signal>,
}

impl CoreOrder {
    pub(super) fn new(core: usize, configs: &[CbConfig]) -> CoreOrder {
        let mut rings: Vec<Option<Ring>> = Vec::new();
        for config in configs {
            let index = usize::from(config.id.0);
            rings.resize_with(rings.len().max(index + 1), || None);
            let positions = CircularBuffer::new(*config);
            let (pushed, popped) = (VectorClock::default(), VectorClock::default());
            rings[index] = Some(Ring { positions, producer: None, pushed, popped });
        }
        // Moment 0 is known to everybody, so that nothing may happen at it.
        let clocks = Processor::ALL.map(|processor| {
            let mut clock = VectorClock::default();
            clock.learn(Slot::processor(core, processor), 1);
            clock
        });
        CoreOrder {
            core,
            clocks,
            issued: VectorClock::default(),
            rings,
            committed: VectorClock::default(),
            released: VectorClock::default(),
            unpacked: VectorClock::default(),
            words: BTreeMap::new(),
            signals: Vec::new(),
        }
    }

    pub(super) fn clock(&self, processor: Processor) -> &VectorClock {
        &self.clocks[processor as usize]
    }

    pub(super) fn clock_mut(&mut self, processor: Processor) -> &mut VectorClock {
        &mut self.clocks[processor as usize]
    }

    /// The moment at which a processor is.
    pub(super) fn now(&self, processor: Processor) -> (Slot, u32) {
        let slot = Slot::processor(self.core, processor);
        (slot, self.clocks[processor as usize].own(slot))
    }

    /// The next moment of a line of transfers.
    pub(super) fn issue(&mut self, processor: Processor, line: Line) -> (Slot, u32) {
        let slot = Slot::line(self.core, processor, line);
        let at = self.issued.own(slot) + 1;
        self.issued.learn(slot, at);
        (slot, at)
    }

    /// A processor pushes; gives the bytes that it gives away.
    pub(super) fn push(&mut self, who: Processor, cb: CbId, pages: u32) -> Option<(u32, u32)> {
        let ring = self.rings.get_mut(usize::from(cb.0))?.as_mut()?;
        let start = ring.positions.write_pointer(who);
        ring.positions.push_back(who, pages);
        ring.producer = Some(who);
        hand_on(&mut self.clocks[who as usize], Slot::processor(self.core, who), &mut ring.pushed);
        Some(span(ring, start, pages))
    }

    /// A processor pops; gives the bytes that it gives back.
    pub(super) fn pop(&mut self, who: Processor, cb: CbId, pages: u32) -> Option<(u32, u32)> {
        let ring = self.rings.get_mut(usize::from(cb.0))?.as_mut()?;
        let start = ring.positions.read_pointer(who);
        ring.positions.pop_front(who, pages);
        hand_on(&mut self.clocks[who as usize], Slot::processor(self.core, who), &mut ring.popped);
        Some(span(ring, start, pages))
    }

    /// Whether popped pages of a ring go back to a processor.
    pub(super) fn is_producer(&self, who: Processor, cb: CbId) -> bool {
        let ring = self.rings.get(usize::from(cb.0)).and_then(Option::as_ref);
        ring.is_some_and(|ring| ring.producer == Some(who))
    }

    /// A processor sets one of its pointers by hand.
    pub(super) fn move_pointer(
        &mut self,
        who: Processor,
        cb: CbId,
        (pointer, to): (RingPointer, L1Address),
    ) {
        if let Some(Some(ring)) = self.rings.get_mut(usize::from(cb.0)) {
            ring.positions.set_pointer(who, pointer, to);
        }
    }

    /// A processor has seen pushed pages.
    pub(super) fn wait(&mut self, who: Processor, cb: CbId) {
        if let Some(Some(ring)) = self.rings.get(usize::from(cb.0)) {
            self.clocks[who as usize].join(&ring.pushed);
        }
    }

    /// A processor has seen free pages.
    pub(super) fn reserve(&mut self, who: Processor, cb: CbId) {
        if let Some(Some(ring)) = self.rings.get(usize::from(cb.0)) {
            self.clocks[who as usize].join(&ring.popped);
        }
    }

    pub(super) fn commit(&mut self) {
        let math = Slot::processor(self.core, Processor::Math);
        hand_on(&mut self.clocks[Processor::Math as usize], math, &mut self.committed);
    }

    pub(super) fn wait_commit(&mut self) {
        self.clocks[Processor::Pack as usize].join(&self.committed);
    }

    pub(super) fn release(&mut self) {
        let pack = Slot::processor(self.core, Processor::Pack);
        hand_on(&mut self.clocks[Processor::Pack as usize], pack, &mut self.released);
    }

    pub(super) fn acquire(&mut self) {
        self.clocks[Processor::Math as usize].join(&self.released);
    }

    /// Unpack has filled a source.
    pub(super) fn fill(&mut self) {
        let unpack = Slot::processor(self.core, Processor::Unpack);
        hand_on(&mut self.clocks[Processor::Unpack as usize], unpack, &mut self.unpacked);
    }

    /// Math has drained a source. There are two banks, so that it may learn of a tile or two more
    /// than it has used.
    pub(super) fn drain(&mut self) {
        self.clocks[Processor::Math as usize].join(&self.unpacked);
    }

    /// A processor writes a word of its own core that others wait for.
    pub(super) fn set_word(
        &mut self,
        who: Processor,
        at: L1Address,
        (site, cycle): (Site, Cycle),
    ) -> Option<Hazard> {
        let (slot, now) = self.now(who);
        let clock = &mut self.clocks[who as usize];
        let word = self.words.entry(at.0).or_default();
        word.is_signal = true;
        let set = Change { how: How::Set, slot, at: now, site, cycle, read: None };
        let hazard = word.set(set, clock, self.core);
        hand_on(clock, slot, &mut word.clock);
        hazard
    }

    /// A processor has seen a word as it wanted it.
    pub(super) fn see_word(&mut self, who: Processor, at: L1Address) -> &mut Word {
        let word = self.words.entry(at.0).or_default();
        word.is_signal = true;
        self.clocks[who as usize].join(&word.clock);
        word
    }

    /// A processor has read a word, whatever it wanted.
    pub(super) fn read_word(&mut self, who: Processor, at: L1Address, site: Site) {
        let slot = Slot::processor(self.core, who);
        self.see_word(who, at).read(slot, site);
    }

    /// A processor has waited for a word.
    pub(super) fn await_word(
        &mut self,
        who: Processor,
        at: L1Address,
        until: SemaphoreTest,
        (site, cycle): (Site, Cycle),
    ) {
        let (slot, at_moment) = self.now(who);
        let word = self.see_word(who, at);
        word.wait_over(who, (site, cycle));
        match until {
            SemaphoreTest::Equal(value) => {
                word.seen(ExactWait { slot, at: at_moment, value, site });
            }
            SemaphoreTest::AtLeast(_) => {}
        }
    }

    /// Whether a word is there to tell something.
    pub(super) fn is_signal(&self, at: u32) -> bool {
        self.words.get(&at).is_some_and(|word| word.is_signal)
    }

    /// Whether a word has come here from elsewhere, or is there to tell something.
    pub(super) fn has_word(&self, at: u32) -> bool {
        self.words.contains_key(&at)
    }

    /// A word that a sender sent here no earlier than a cycle.
    pub(super) fn word_from(&self, sender: Slot, since: Cycle) -> Option<Site> {
        let mut all = self.words.values().flat_map(|word| &word.senders);
        all.find(|(slot, _, cycle)| *slot == sender && *cycle >= since).map(|(_, site, _)| *site)
    }

    /// A wait here that ended before the word from a core that it was meant to wait for.
    pub(super) fn repeated_wait(&self, from: usize) -> Option<(L1Address, RepeatedWait)> {
        let is_from = |word: &Word| word.senders.iter().any(|(slot, ..)| slot.core() == from);
        let mut words = self.words.iter().filter(|(_, word)| is_from(word));
        words.find_map(|(at, word)| Some((L1Address(*at), word.repeated()?)))
    }

    /// A word leaves with what its sender knows, behind all that went the same way before.
    pub(super) fn send(&mut self, who: Processor, word: Sent) {
        let slot = Slot::processor(self.core, who);
        let mut clock = VectorClock::default();
        hand_on(&mut self.clocks[who as usize], slot, &mut clock);
        clock.learn(word.on.0, word.on.1);
        self.signals.push(Signal {
            id: word.id,
            clock,
            on: word.on,
            sender: (slot, word.site, word.cycle),
            is_atomic: word.is_atomic,
            arrivals_left: word.cores,
        });
    }

    /// What a word from here that has arrived somewhere hands on.
    pub(super) fn arrive(&mut self, id: TransferId) -> Option<Arrival> {
        let place = self.signals.iter().position(|signal| signal.id == id)?;
        let signal = &mut self.signals[place];
        let arrival = Arrival {
            clock: signal.clock.clone(),
            on: signal.on,
            sender: signal.sender,
            is_atomic: signal.is_atomic,
        };
        signal.arrivals_left = signal.arrivals_left.saturating_sub(1);
        if signal.arrivals_left == 0 {
            self.signals.remove(place);
        }
        Some(arrival)
    }

    /// A word has arrived here at a cycle.
    pub(super) fn take(
        &mut self,
        at: L1Address,
        arrival: &Arrival,
        cycle: Cycle,
    ) -> Option<Hazard> {
        let (sender, ..) = arrival.sender;
        let word = self.words.entry(at.0).or_default();
        word.is_signal |= arrival.is_atomic;
        let hazard = word.arrive(arrival.change(cycle), &arrival.clock, sender.core());
        word.clock.join_from(self.core, &arrival.clock, sender.core());
        word.senders.retain(|(slot, ..)| *slot != sender);
        word.senders.push(arrival.sender);
        hazard
    }
}

/// A word that leaves.
pub(super) struct Sent {
    pub(super) id: TransferId,
    pub(super) on: (Slot, u32),
    pub(super) cores: usize,
    pub(super) is_atomic: bool,
    pub(super) site: Site,
    pub(super) cycle: Cycle,
}

/// What a word brings.
pub(super) struct Arrival {
    pub(super) clock: VectorClock,
    on: (Slot, u32),
    sender: (Slot, Site, Cycle),
    pub(super) is_atomic: bool,
}

impl Arrival {
    /// The change that it makes at a cycle.
    pub(super) fn change(&self, cycle: Cycle) -> Change {
        let how = if self.is_atomic { How::Add } else { How::Write };
        let ((slot, at), (_, site, _)) = (self.on, self.sender);
        Change { how, slot, at, site, cycle, read: None }
    }
}

fn span(ring: &Ring, start: L1Address, pages: u32) -> (u32, u32) {
    let bytes = pages.saturating_mul(ring.positions.config().page_bytes);
    (start.0, start.0.saturating_add(bytes))
}

/// Hands on what a processor knows; what it does next is not part of that.
fn hand_on(clock: &mut VectorClock, slot: Slot, to: &mut VectorClock) {
    to.join(clock);
    let now = clock.own(slot);
    clock.learn(slot, now + 1);
}
