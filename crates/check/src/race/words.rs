//! A word that synchronises: what it hands on, who changed it last, who waited for a value.
//!
//! Judges order alone. Additions commute with each other; a processor that sets a word must have
//! awaited the additions before it, and one that adds after that must have awaited the set.

use tilewright_machine::{Cycle, Processor, Site};

use super::clock::{Slot, VectorClock};

/// How a word is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// A processor of its core stores a value.
    Set,
    /// An atomic adds to it.
    Add,
    /// A word comes over the network.
    Write,
}

/// The last change of a word by one agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) how: How,
    /// When it is over: at this moment of this line.
    pub(super) slot: Slot,
    pub(super) at: u32,
    pub(super) site: Site,
    pub(super) cycle: Cycle,
    /// Where the setter last read the word.
    pub(super) read: Option<Site>,
}

impl Change {
    /// Whether two changes need an order. What a processor writes and then sets itself has none to
    /// lose; what it has added is under way until a barrier.
    fn needs_order(&self, set: &Change) -> bool {
        match self.how {
            How::Add => true,
            How::Set | How::Write => self.who() != set.who(),
        }
    }

    fn who(&self) -> (usize, Processor) {
        (self.slot.core(), self.slot.owner())
    }
}

/// A wait until a word has exactly a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactWait {
    pub(super) slot: Slot,
    /// An agent whose clock includes this moment has seen the wait end.
    pub(super) at: u32,
    pub(super) value: u32,
    pub(super) site: Site,
}

/// A wait that was over at once, because the word had not changed since the same processor's wait
/// before; the change that it was meant to wait for came later.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatedWait {
    pub(super) before: Site,
    pub(super) again: Site,
    pub(super) processor: Processor,
    pub(super) cycle: Cycle,
}

/// What a processor has awaited of a word.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    site: Site,
    /// How often the word had been changed.
    changes: u32,
}

/// What nothing puts in order at a word.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hazard {
    /// Two changes, at least one of which sets the word: the other may be lost.
    Lost { old: Change, next: Change },
    /// An addition that may carry the word past the value before that was seen.
    Skipped { wait: ExactWait, next: Change },
}

/// A word.
#[derive(Default)]
pub(super) struct Word {
    pub(super) clock: VectorClock,
    /// Whether anything waits for it, sets it or adds to it: then it is no data.
    pub(super) is_signal: bool,
    /// The last word from each sender: the call, and when it was made.
    pub(super) senders: Vec<(Slot, Site, Cycle)>,
    changes: Vec<Change>,
    waits: Vec<ExactWait>,
    /// Where each processor of the core has read it since it last set it.
    reads: [Option<Site>; 5],
    /// How often it has been changed.
    count: u32,
    awaited: [Option<Awaited>; 5],
    /// The last wait, if it was over at once.
    at_once: Option<RepeatedWait>,
    /// The first such wait after which a change came.
    repeated: Option<RepeatedWait>,
}

impl Word {
    /// A processor that knows what `clock` says sets it.
    pub(super) fn set(&mut self, next: Change, clock: &VectorClock, core: usize) -> Option<Hazard> {
        let read = self.reads[next.slot.owner() as usize].take();
        let next = Change { read, ..next };
        let is_lost =
            |old: &&Change| old.needs_order(&next) && !clock.knows(core, old.slot, old.at);
        let old = self.changes.iter().find(is_lost).copied();
        self.waits.clear();
        self.keep(next);
        old.map(|old| Hazard::Lost { old, next })
    }

    /// A change arrives whose sender, on `core`, knew what `clock` says.
    pub(super) fn arrive(
        &mut self,
        next: Change,
        clock: &VectorClock,
        core: usize,
    ) -> Option<Hazard> {
        let is_lost = |old: &&Change| {
            old.how == How::Set && next.needs_order(old) && !clock.knows(core, old.slot, old.at)
        };
        let lost = self.changes.iter().find(is_lost).copied();
        let is_early = |wait: &&ExactWait| !clock.knows(core, wait.slot, wait.at);
        let waits = if next.how == How::Add { &self.waits[..] } else { &[] };
        let skipped = waits.iter().find(is_early).copied();
        self.keep(next);
        match (lost, skipped) {
            (Some(old), _) => Some(Hazard::Lost { old, next }),
            (None, Some(wait)) => Some(Hazard::Skipped { wait, next }),
            (None, None) => None,
        }
    }

    /// A processor has seen the exact value that it waited for.
    pub(super) fn seen(&mut self, wait: ExactWait) {
        self.waits.retain(|other| other.slot != wait.slot);
        self.waits.push(wait);
    }

    /// A processor has waited for it.
    pub(super) fn wait_over(&mut self, processor: Processor, (site, cycle): (Site, Cycle)) {
        let last = self.awaited[processor as usize].replace(Awaited { site, changes: self.count });
        self.at_once = last.filter(|last| last.changes == self.count).map(|last| RepeatedWait {
            before: last.site,
            again: site,
            processor,
            cycle,
        });
    }

    /// The first wait that ended before the change that it was meant to wait for.
    pub(super) fn repeated(&self) -> Option<RepeatedWait> {
        self.repeated
    }

    /// A processor reads it.
    pub(super) fn read(&mut self, slot: Slot, site: Site) {
        self.reads[slot.owner() as usize] = Some(site);
    }

    fn keep(&mut self, next: Change) {
        self.count = self.count.wrapping_add(1);
        let at_once = self.at_once.take().filter(|_| next.how != How::Set);
        self.repeated = self.repeated.or(at_once);
        self.changes.retain(|old| (old.slot, old.how) != (next.slot, next.how));
        self.changes.push(next);
    }
}
