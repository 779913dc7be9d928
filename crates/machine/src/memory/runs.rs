//! A number for each of many places, kept as runs of places that have the same.
//!
//! Chunks of 64 places say where runs begin, a bit a place, so that to set a number takes a step a
//! chunk, and to look one up takes one. Knows nothing of what the numbers mean.

use std::ops::Range;

/// Places of a chunk.
const CHUNK: usize = 64;

/// Where runs begin among 64 places.
#[derive(Clone, Copy, Default)]
struct Chunk {
    /// A bit for each place that a run begins at.
    starts: u64,
    /// The number of the run that goes on from the chunk before.
    entering: u32,
    /// The number of the run that begins here, if only one ever has.
    only: u32,
    /// The place in [`Runs::crowds`] of the numbers of several, counted from 1.
    crowd: u32,
}

/// A number for each place, at first 0.
#[derive(Clone)]
pub(super) struct Runs {
    chunks: Vec<Chunk>,
    /// The numbers of runs in chunks where several have begun, by place.
    crowds: Vec<[u32; CHUNK]>,
}

impl Runs {
    /// For about so many places; it grows where more are set.
    pub(super) fn new(places: usize) -> Runs {
        Runs { chunks: vec![Chunk::default(); places.div_ceil(CHUNK)], crowds: Vec::new() }
    }

    /// The number of a place.
    #[inline]
    pub(super) fn of(&self, place: usize) -> u32 {
        match self.chunks.get(place / CHUNK) {
            Some(chunk) => self.within(chunk, place % CHUNK),
            None => 0,
        }
    }

    /// The number of a place, and where its run ends, or `end` if that is nearer. Places that were
    /// never set may be several runs.
    #[inline]
    pub(super) fn run(&self, place: usize, end: usize) -> (u32, usize) {
        let number = self.of(place);
        // The places behind the first one, in its chunk.
        let mut starts = match self.chunks.get(place / CHUNK) {
            Some(chunk) => chunk.starts & !(u64::MAX >> (CHUNK - 1 - place % CHUNK)),
            None => 0,
        };
        let mut first = place / CHUNK * CHUNK;
        while starts == 0 {
            first += CHUNK;
            if first >= end {
                return (number, end);
            }
            // Behind the last chunk nothing was set.
            let chunk = self.chunks.get(first / CHUNK).copied().unwrap_or_default();
            if chunk.starts & 1 == 0 && chunk.entering != number {
                return (number, first);
            }
            starts = chunk.starts;
        }
        (number, end.min(first + starts.trailing_zeros() as usize))
    }

    /// Gives places a new number. `release` is told which numbers they had, and how many of them.
    pub(super) fn set(
        &mut self,
        places: Range<usize>,
        number: u32,
        mut release: impl FnMut(u32, usize),
    ) {
        let chunks = places.end.div_ceil(CHUNK);
        if chunks > self.chunks.len() {
            self.chunks.resize(chunks, Chunk::default());
        }
        let mut start = places.start;
        while start < places.end {
            let (old, end) = self.run(start, places.end);
            release(old, end - start);
            start = end;
        }
        let after = self.of(places.end);
        for number_of_chunk in places.start / CHUNK..chunks {
            let first = number_of_chunk * CHUNK;
            let from = places.start.max(first) - first;
            let to = places.end.min(first + CHUNK) - first;
            let chunk = &mut self.chunks[number_of_chunk];
            chunk.starts &= !(u64::MAX << from & u64::MAX >> (CHUNK - to));
            if first > places.start {
                chunk.entering = number;
            }
        }
        self.begin(places.start, number);
        self.begin(places.end, after);
    }

    /// A run begins at a place.
    fn begin(&mut self, place: usize, number: u32) {
        let Some(chunk) = self.chunks.get_mut(place / CHUNK) else { return };
        let bit = 1 << (place % CHUNK);
        let others = chunk.starts & !bit;
        chunk.starts |= bit;
        if others == 0 && chunk.crowd == 0 {
            chunk.only = number;
            return;
        }
        if chunk.crowd == 0 {
            let mut crowd = [0; CHUNK];
            crowd[others.trailing_zeros() as usize] = chunk.only;
            self.crowds.push(crowd);
            chunk.crowd = self.crowds.len() as u32;
        }
        self.crowds[chunk.crowd as usize - 1][place % CHUNK] = number;
    }

    /// The number of a place of a chunk.
    #[inline]
    fn within(&self, chunk: &Chunk, place: usize) -> u32 {
        let starts = chunk.starts & u64::MAX >> (CHUNK - 1 - place);
        match (starts, chunk.crowd) {
            (0, _) => chunk.entering,
            (_, 0) => chunk.only,
            (starts, crowd) => {
                self.crowds[crowd as usize - 1][CHUNK - 1 - starts.leading_zeros() as usize]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs tell what a list of places tells, after any changes.
    #[test]
    fn runs_are_what_a_list_is() {
        let (mut runs, mut list, mut state) = (Runs::new(100), vec![0_u32; 600], 1_u64);
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for number in 1..4_000 {
            let start = next(590);
            let longest = [1, 8, 200][next(3)].min(600 - start);
            let places = start..start + 1 + next(longest);
            let mut released = Vec::new();
            runs.set(places.clone(), number, |old, count| released.extend(vec![old; count]));
            assert_eq!(released, list[places.clone()], "set {number}");
            list[places].fill(number);
            let place = next(600);
            let (number, end) = runs.run(place, 600);
            assert!(list[place..end].iter().all(|it| *it == number), "set {number}");
            let is_all = number == 0 || list.get(end) != Some(&number);
            assert!(end > place && is_all && runs.of(place) == number, "set {number}");
        }
        assert_eq!((runs.of(10_000), runs.run(10_000, 10_200)), (0, (0, 10_200)));
    }
    #[test]
    fn a_run_at_the_end_does_not_go_on_into_what_is_added() {
        let mut runs = Runs::new(CHUNK);
        runs.set(0..CHUNK, 1, |_, _| {});
        runs.set(CHUNK + 30..CHUNK + 40, 2, |_, _| {});
        assert_eq!(runs.run(0, 4 * CHUNK), (1, CHUNK));
        assert_eq!(runs.of(CHUNK), 0);
    }
}
