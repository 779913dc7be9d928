//! How many pages of a ring a wait proves to be there, whatever the schedule.
//!
//! It may be more than it asks for: the push that ends it gives all its pages at once.

use std::collections::VecDeque;

use tilewright_machine::Processor;

/// The pushes of one ring whose pages are not popped.
#[derive(Default)]
pub(super) struct Frames {
    /// The pages pushed with each of them and all before.
    totals: VecDeque<u64>,
    pushed: u64,
    popped: u64,
    producer: Option<Processor>,
    /// Whether several push to it: then the order of pushes depends on the schedule.
    is_shared: bool,
}

impl Frames {
    pub(super) fn pushed(&mut self, by: Processor, pages: u32) {
        self.pushed += u64::from(pages);
        self.is_shared |= self.producer.is_some_and(|other| other != by);
        self.producer = Some(by);
        self.totals.push_back(self.pushed);
    }

    pub(super) fn popped(&mut self, pages: u32) {
        self.popped += u64::from(pages);
        while self.totals.front().is_some_and(|total| *total <= self.popped) {
            self.totals.pop_front();
        }
    }

    /// The pages that are there once a wait for so many has ended.
    pub(super) fn proven(&self, pages: u32) -> u32 {
        if pages == 0 {
            return 0;
        }
        let needed = self.popped + u64::from(pages);
        let last = self.totals.iter().find(|total| **total >= needed).filter(|_| !self.is_shared);
        last.map_or(pages, |total| (total - self.popped) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::Processor::{Pack, Reader};

    #[test]
    fn a_push_gives_all_its_pages_at_once() {
        let mut frames = Frames::default();
        frames.pushed(Reader, 2);
        frames.pushed(Reader, 2);
        assert_eq!([0, 1, 2, 3].map(|pages| frames.proven(pages)), [0, 2, 2, 4]);
        frames.popped(1);
        assert_eq!((frames.proven(1), frames.proven(2)), (1, 3));
        frames.popped(5);
        assert_eq!(frames.proven(1), 1, "of pages that were popped too early nothing is known");
    }

    #[test]
    fn two_producers_prove_nothing() {
        let mut frames = Frames::default();
        frames.pushed(Reader, 2);
        frames.pushed(Pack, 2);
        assert_eq!(frames.proven(1), 1);
    }
}
