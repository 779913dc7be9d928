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
#[derive(Default)]
pub(crate) struct Agenda {
    lines: [VecDeque<Scheduled>; LINES],
    rest: BinaryHeap<Scheduled>,
    /// The earliest of all, and where it is: a line, or the heap after the last of them.
    earliest: Option<(Key, usize)>,
}

impl Agenda {
    pub(crate) fn push(&mut self, scheduled: Scheduled) {
        let key = scheduled.key();
        let line = line_of(&scheduled.action);
        let line = line.filter(|line| self.lines[*line].back().is_none_or(|last| last.key() < key));
        match line {
            Some(line) => self.lines[line].push_back(scheduled),
            None => self.rest.push(scheduled),
        }
        if self.earliest.is_none_or(|(earliest, _)| key < earliest) {
            self.earliest = Some((key, line.unwrap_or(LINES)));
        }
    }

    /// When the earliest happens.
    pub(crate) fn next_cycle(&self) -> Option<Cycle> {
        self.earliest.map(|((cycle, ..), _)| cycle)
    }

    /// Takes the earliest.
    pub(crate) fn pop(&mut self) -> Option<Scheduled> {
        let (_, place) = self.earliest?;
        let popped = match self.lines.get_mut(place) {
            Some(line) => line.pop_front(),
            None => self.rest.pop(),
        };
        let fronts = self.lines.iter().map(VecDeque::front).chain([self.rest.peek()]);
        let keys = fronts.enumerate().filter_map(|(place, it)| it.map(|it| (it.key(), place)));
        self.earliest = keys.min();
        popped
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.earliest.is_none()
    }

    pub(crate) fn clear(&mut self) {
        self.lines.iter_mut().for_each(VecDeque::clear);
        self.rest.clear();
        self.earliest = None;
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
            while agenda.next_cycle().is_some_and(|next| next.0 < sequence) {
                came.extend(agenda.pop().map(|it| (it.cycle, it.sequence)));
            }
        }
        while let Some(next) = agenda.pop() {
            came.push((next.cycle, next.sequence));
        }
        wanted.sort();
        assert_eq!(came, wanted);
        assert!(agenda.is_empty() && agenda.next_cycle().is_none());
    }
}
