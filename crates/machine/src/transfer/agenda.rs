//! What will happen on a core, the earliest first.
//!
//! Reads land, requests depart and acknowledgements come back in the order in which they were asked
//! for, nearly always: each of these kinds waits in a line of its own, which costs nothing to keep
//! in order. What does not fit at the end of its line, and everything else, goes to a heap.

use std::collections::{BinaryHeap, VecDeque};

use super::queue::{Action, Key, Scheduled};
use crate::units::Cycle;

/// Kinds that have a line.
const LINES: usize = 3;

/// What will happen on a core.
pub(crate) struct Agenda {
    lines: [VecDeque<Scheduled>; LINES],
    rest: BinaryHeap<Scheduled>,
    /// The keys of what is first in each line, and in the heap after the last of them.
    firsts: [Key; LINES + 1],
    /// The keys of what is last in each line.
    lasts: [Key; LINES],
    /// Where the earliest of all is.
    earliest: usize,
}

/// The key of nothing: later than all others.
const NOTHING: Key = (Agenda::NEVER, u16::MAX, u64::MAX);

impl Default for Agenda {
    fn default() -> Agenda {
        Agenda {
            lines: Default::default(),
            rest: BinaryHeap::new(),
            firsts: [NOTHING; LINES + 1],
            lasts: [NOTHING; LINES],
            earliest: 0,
        }
    }
}

impl Agenda {
    /// When nothing happens.
    pub(crate) const NEVER: Cycle = Cycle(u64::MAX);

    pub(crate) fn push(&mut self, scheduled: Scheduled) {
        let key = scheduled.key();
        let fits = |line: &usize| self.firsts[*line] == NOTHING || self.lasts[*line] < key;
        let line = line_of(&scheduled.action).filter(fits);
        match line {
            Some(line) => {
                self.lines[line].push_back(scheduled);
                self.lasts[line] = key;
            }
            None => self.rest.push(scheduled),
        }
        let place = line.unwrap_or(LINES);
        self.firsts[place] = self.firsts[place].min(key);
        if key < self.firsts[self.earliest] {
            self.earliest = place;
        }
    }

    /// When the earliest happens.
    pub(crate) fn next_cycle(&self) -> Cycle {
        self.firsts[self.earliest].0
    }

    /// Takes the earliest.
    pub(crate) fn pop(&mut self) -> Option<Scheduled> {
        let place = self.earliest;
        let (popped, next) = match self.lines.get_mut(place) {
            Some(line) => (line.pop_front(), line.front()),
            None => (self.rest.pop(), self.rest.peek()),
        };
        self.firsts[place] = next.map_or(NOTHING, Scheduled::key);
        for place in 0..self.firsts.len() {
            if self.firsts[place] < self.firsts[self.earliest] {
                self.earliest = place;
            }
        }
        popped
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next_cycle() == Agenda::NEVER
    }

    pub(crate) fn clear(&mut self) {
        *self = Agenda {
            lines: std::mem::take(&mut self.lines),
            rest: std::mem::take(&mut self.rest),
            ..Agenda::default()
        };
        self.lines.iter_mut().for_each(VecDeque::clear);
        self.rest.clear();
    }
}

fn line_of(action: &Action) -> Option<usize> {
    match action {
        Action::LandDram { .. } => Some(0),
        Action::Depart { .. } => Some(1),
        Action::Acknowledge { .. } => Some(2),
        Action::LandBytes { .. }
        | Action::Serve { .. }
        | Action::WriteDram { .. }
        | Action::Write { .. }
        | Action::Increment { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_movement::Channel;
    use crate::event::TransferId;
    use crate::noc::NocId;
    use crate::processor::{Barrier, Processor, ProcessorId};
    use crate::rng::Rng;
    use crate::transfer::Owner;
    use crate::units::{DramAddress, L1Address};
    use crate::{CoreCoord, Site};

    /// One of some kinds of actions.
    fn action(kind: u64) -> Action {
        let owner = Owner {
            processor: ProcessorId { core: CoreCoord::new(0, 0), processor: Processor::Reader },
            site: Site::KERNEL,
            channel: Channel { noc: NocId::Zero, transaction: 0 },
            id: TransferId(1),
        };
        let to = L1Address(0);
        match kind {
            0 => {
                let from = DramAddress { bank: 0, offset: 0 };
                Action::LandDram { owner, from, to, bytes: 4 }
            }
            1 => Action::Acknowledge { owner, barrier: Barrier::Writes },
            _ => Action::Increment { owner, to, by: 1 },
        }
    }

    #[test]
    fn everything_comes_out_in_order_whatever_the_order_it_went_in() {
        let (mut rng, mut agenda, mut wanted) = (Rng::new(7, 0), Agenda::default(), Vec::new());
        let mut came = Vec::new();
        for sequence in 0..2_000 {
            let cycle = Cycle(sequence + rng.below(64));
            let kind = rng.below(3);
            agenda.push(Scheduled { cycle, from: 0, sequence, action: action(kind) });
            wanted.push((cycle, sequence));
            // What is due is taken out in between, as a run does.
            while agenda.next_cycle().0 < sequence {
                came.extend(agenda.pop().map(|it| (it.cycle, it.sequence)));
            }
        }
        while let Some(next) = agenda.pop() {
            came.push((next.cycle, next.sequence));
        }
        wanted.sort();
        assert_eq!(came, wanted);
        assert!(agenda.is_empty() && agenda.next_cycle() == Agenda::NEVER);
    }
}
