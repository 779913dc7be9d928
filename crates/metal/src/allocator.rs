//! Free space of one memory: the same span in every bank, given out and taken back.

use std::collections::BTreeMap;
use std::ops::Range;

/// From which end of the memory spans are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// The lowest hole that is large enough, from its start: DRAM.
    BottomUp,
    /// The highest hole that is large enough, from its end: L1.
    TopDown,
}

/// Spans that are taken; everything between them is free.
#[derive(Clone, Debug)]
pub(crate) struct Allocator {
    room: Range<u64>,
    alignment: u64,
    direction: Direction,
    /// Spans by their start.
    taken: BTreeMap<u64, u64>,
}

impl Allocator {
    pub(crate) fn new(room: Range<u64>, alignment: u64, direction: Direction) -> Allocator {
        Allocator { room, alignment, direction, taken: BTreeMap::new() }
    }

    /// Takes so many bytes, or says how many the largest hole has.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<u64, u64> {
        let holes = self.holes();
        let fits = |hole: &&Range<u64>| hole.end - hole.start >= bytes;
        let place = match self.direction {
            Direction::BottomUp => holes.iter().find(fits).map(|hole| hole.start),
            Direction::TopDown => {
                let down = |hole: &Range<u64>| {
                    let at = hole.end - bytes;
                    let at = at - at % self.alignment;
                    (at >= hole.start).then_some(at)
                };
                holes.iter().rev().filter(fits).find_map(down)
            }
        };
        let largest = holes.iter().map(|hole| hole.end - hole.start).max().unwrap_or(0);
        let at = place.ok_or(match self.direction {
            Direction::BottomUp => largest,
            Direction::TopDown => largest / self.alignment * self.alignment,
        })?;
        self.taken.insert(at, at + bytes);
        Ok(at)
    }

    /// Gives a span back that begins here; false if none does.
    pub(crate) fn give_back(&mut self, at: u64) -> bool {
        self.taken.remove(&at).is_some()
    }

    /// Takes a span at a place that must be free.
    pub(crate) fn take_at(&mut self, at: u64, bytes: u64) -> bool {
        let span = at..at + bytes;
        let is_free = self.holes().iter().any(|it| it.start <= span.start && span.end <= it.end);
        if is_free {
            self.taken.insert(span.start, span.end);
        }
        is_free
    }

    /// The lowest byte that is taken; the end of the memory if none is.
    pub(crate) fn lowest(&self) -> u64 {
        self.taken.keys().next().copied().unwrap_or(self.room.end)
    }

    /// The first byte that could be given out above everything that is taken.
    pub(crate) fn next(&self) -> u64 {
        let end = self.taken.values().last().copied().unwrap_or(self.room.start);
        end.next_multiple_of(self.alignment)
    }

    /// Free spans between those that are taken, from aligned places on, the lowest first.
    fn holes(&self) -> Vec<Range<u64>> {
        let mut holes = Vec::new();
        let mut from = self.room.start;
        for (start, end) in &self.taken {
            holes.push(from..*start);
            from = end.next_multiple_of(self.alignment);
        }
        holes.push(from..self.room.end);
        holes.retain(|hole| hole.start < hole.end);
        holes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_spans_are_used_again_and_join() {
        let mut memory = Allocator::new(1024..8192, 1024, Direction::BottomUp);
        let spans: Vec<u64> = (0..4).map(|_| memory.take(1000).expect("room")).collect();
        assert_eq!(spans, [1024, 2048, 3072, 4096]);
        assert!(memory.give_back(2048) && memory.give_back(3072));
        assert!(!memory.give_back(2048), "it is free already");
        assert_eq!(memory.take(2000), Ok(2048), "two neighbours are one hole");
        assert_eq!((memory.lowest(), memory.next()), (1024, 5120));
        assert_eq!(memory.take(4000), Err(3072));
        assert!(memory.take_at(6144, 16) && !memory.take_at(6144, 16));
    }

    #[test]
    fn the_highest_hole_is_filled_from_its_end() {
        let mut memory = Allocator::new(96..1024, 32, Direction::TopDown);
        let spans: Vec<u64> = (0..3).map(|_| memory.take(100).expect("room")).collect();
        assert_eq!(spans, [896, 768, 640]);
        assert!(memory.give_back(768));
        assert_eq!(memory.take(60), Ok(832));
        assert_eq!(memory.take(100), Ok(512), "what is left of the hole is too small");
        assert_eq!(memory.lowest(), 512);
    }
}
