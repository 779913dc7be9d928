//! How many pages of a ring a wait proves to be there, whatever the schedule.
//!
//! It may be more than it asks for: the push that ends it gives all its pages at once. And it
//! proves all that the same producer has pushed to any ring before.

use std::collections::VecDeque;

use tilewright_machine::{CbId, Processor};

/// One push to a ring.
#[derive(Clone, Copy)]
struct Push {
    /// The pages that were pushed to the ring with it and all before.
    total: u64,
    /// Its number among all pushes of its producer, to any ring.
    turn: u64,
}

/// The pushes of one ring whose pages are not popped.
#[derive(Default)]
struct Frames {
    pushes: VecDeque<Push>,
    pushed: u64,
    popped: u64,
    producer: Option<Processor>,
    /// Whether several push to it: then the order of pushes depends on the schedule.
    is_shared: bool,
}

impl Frames {
    fn pushed(&mut self, by: Processor, turn: u64, pages: u32) {
        self.pushed += u64::from(pages);
        self.is_shared |= self.producer.is_some_and(|other| other != by);
        self.producer = Some(by);
        self.pushes.push_back(Push { total: self.pushed, turn });
    }

    fn popped(&mut self, pages: u32) {
        self.popped += u64::from(pages);
        while self.pushes.front().is_some_and(|push| push.total <= self.popped) {
            self.pushes.pop_front();
        }
    }

    /// The push that ends a wait for so many pages.
    fn ending(&self, pages: u32) -> Option<Push> {
        let needed = self.popped + u64::from(pages);
        let last = self.pushes.iter().find(|push| push.total >= needed);
        last.filter(|_| pages > 0 && !self.is_shared).copied()
    }

    /// The pages that are there after so many pushes of its producer.
    fn after(&self, turn: u64) -> u32 {
        let last = self.pushes.iter().rfind(|push| push.turn <= turn);
        let last = last.filter(|_| !self.is_shared);
        last.map_or(0, |push| push.total.saturating_sub(self.popped) as u32)
    }
}

/// The pushes of a core.
#[derive(Default)]
pub(super) struct Pushes {
    rings: Vec<Frames>,
    /// How often each processor has pushed.
    turns: [u64; 5],
    /// For each processor, how many pushes of each producer its waits have proven.
    known: [[u64; 5]; 5],
}

impl Pushes {
    fn ring(&mut self, cb: CbId) -> &mut Frames {
        let place = usize::from(cb.0);
        if place >= self.rings.len() {
            self.rings.resize_with(place + 1, Frames::default);
        }
        &mut self.rings[place]
    }

    pub(super) fn pushed(&mut self, by: Processor, cb: CbId, pages: u32) {
        self.turns[by as usize] += 1;
        let turn = self.turns[by as usize];
        self.ring(cb).pushed(by, turn, pages);
    }

    pub(super) fn popped(&mut self, cb: CbId, pages: u32) {
        self.ring(cb).popped(pages);
    }

    /// The pages that are there once a processor's wait for so many has ended.
    pub(super) fn waited(&mut self, by: Processor, cb: CbId, pages: u32) -> u32 {
        let ring = self.ring(cb);
        let (Some(push), Some(producer)) = (ring.ending(pages), ring.producer) else {
            return pages;
        };
        let proven = (push.total - ring.popped) as u32;
        let known = &mut self.known[by as usize][producer as usize];
        *known = push.turn.max(*known);
        proven
    }

    /// The pages that a processor knows to be there, from waits for any ring.
    pub(super) fn known(&mut self, by: Processor, cb: CbId) -> u32 {
        let known = self.known[by as usize];
        let ring = self.ring(cb);
        ring.producer.map_or(0, |producer| ring.after(known[producer as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::Processor::{Pack, Reader, Unpack};

    const RING: CbId = CbId(0);
    const OTHER: CbId = CbId(1);

    #[test]
    fn a_push_gives_all_its_pages_at_once() {
        let mut pushes = Pushes::default();
        pushes.pushed(Reader, RING, 2);
        pushes.pushed(Reader, RING, 2);
        let mut proven = |pages| pushes.waited(Unpack, RING, pages);
        assert_eq!([0, 1, 2, 3].map(&mut proven), [0, 2, 2, 4]);
        pushes.popped(RING, 1);
        assert_eq!((pushes.waited(Unpack, RING, 1), pushes.waited(Unpack, RING, 2)), (1, 3));
        pushes.popped(RING, 5);
        let proven = pushes.waited(Unpack, RING, 1);
        assert_eq!(proven, 1, "of pages that were popped too early nothing is known");
    }

    #[test]
    fn two_producers_prove_nothing() {
        let mut pushes = Pushes::default();
        pushes.pushed(Reader, RING, 2);
        pushes.pushed(Pack, RING, 2);
        assert_eq!(pushes.waited(Unpack, RING, 1), 1);
        assert_eq!(pushes.known(Unpack, RING), 0);
    }

    #[test]
    fn a_wait_proves_all_earlier_pushes_of_its_producer() {
        let mut pushes = Pushes::default();
        pushes.pushed(Pack, RING, 2);
        pushes.pushed(Pack, OTHER, 1);
        pushes.pushed(Pack, RING, 1);
        assert_eq!(pushes.known(Unpack, RING), 0, "nothing was waited for");
        pushes.waited(Unpack, OTHER, 1);
        assert_eq!(pushes.known(Unpack, RING), 2, "the third page came later");
        pushes.popped(RING, 1);
        assert_eq!(pushes.known(Unpack, RING), 1);
        assert_eq!(pushes.known(Reader, RING), 0, "another has waited");
        pushes.popped(RING, 3);
        pushes.pushed(Pack, RING, 1);
        pushes.pushed(Pack, OTHER, 1);
        pushes.waited(Unpack, OTHER, 2);
        assert_eq!(pushes.known(Unpack, RING), 0, "it was popped before it came");
    }
}
