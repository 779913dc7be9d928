//! Which tiles of which inputs are in a value, and which findings have touched it.
//!
//! A few rectangles of tiles, without a heap: what an operation combines is mostly a tile, a row or
//! a column of each input. A value of more parts than that is said to be unknown, and not judged.

use std::ops::Range;

use crate::trace::Traces;

/// Rectangles that one value may hold.
const PARTS: usize = 8;

/// A rectangle of an input's tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) input: u8,
    pub(crate) rows: [u32; 2],
    pub(crate) columns: [u32; 2],
}

impl Part {
    pub(crate) fn new(input: u8, rows: Range<u32>, columns: Range<u32>) -> Part {
        Part { input, rows: [rows.start, rows.end], columns: [columns.start, columns.end] }
    }

    pub(crate) fn tiles(&self) -> u64 {
        u64::from(self.rows[1] - self.rows[0]) * u64::from(self.columns[1] - self.columns[0])
    }

    fn has(&self, other: &Part) -> bool {
        self.input == other.input
            && holds(self.rows, other.rows)
            && holds(self.columns, other.columns)
    }

    /// Both in one rectangle, if they fill it.
    fn joined(&self, other: &Part) -> Option<Part> {
        if self.input != other.input {
            return None;
        }
        if self.has(other) {
            return Some(*self);
        }
        if other.has(self) {
            return Some(*other);
        }
        let touch = |a: [u32; 2], b: [u32; 2]| a[0] <= b[1] && b[0] <= a[1];
        let hull = |a: [u32; 2], b: [u32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        if self.rows == other.rows && touch(self.columns, other.columns) {
            return Some(Part { columns: hull(self.columns, other.columns), ..*self });
        }
        if self.columns == other.columns && touch(self.rows, other.rows) {
            return Some(Part { rows: hull(self.rows, other.rows), ..*self });
        }
        None
    }
}

fn holds(outer: [u32; 2], inner: [u32; 2]) -> bool {
    outer[0] <= inner[0] && inner[1] <= outer[1]
}

/// The tiles that are in a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceTiles {
    parts: [Part; PARTS],
    count: u8,
    is_known: bool,
}

/// The tiles that are in a value, by number, and the findings that have touched it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sources {
    /// Their number among all [`SourceSets`]; 0 for none.
    set: u32,
    pub(crate) traces: Traces,
}

impl Sources {
    pub(crate) const NONE: Sources = Sources { set: 0, traces: Traces::NONE };
}

/// The tiles of every value of a run: values are copied as numbers.
pub(crate) struct SourceSets {
    sets: Vec<SourceSet>,
    parts: Vec<Part>,
    /// Pairs that were joined of late, and what they make: the same values meet again and again.
    joined: Vec<[u32; 3]>,
}

/// Where the parts of a set are.
#[derive(Clone, Copy)]
struct SourceSet {
    first: u32,
    count: u8,
    is_known: bool,
}

/// Pairs that are remembered.
const JOINED: usize = 512;

impl Default for SourceSets {
    fn default() -> SourceSets {
        let none = SourceSet { first: 0, count: 0, is_known: true };
        SourceSets { sets: vec![none], parts: Vec::new(), joined: vec![[0; 3]; JOINED] }
    }
}

impl SourceSets {
    /// A value that holds one part.
    pub(crate) fn of(&mut self, part: Part) -> Sources {
        let set = self.add(&[part], true);
        Sources { set, ..Sources::NONE }
    }

    /// The tiles of a value.
    pub(crate) fn tiles(&self, sources: Sources) -> SourceTiles {
        let SourceSet { count, is_known, .. } = self.sets[sources.set as usize];
        let mut tiles = SourceTiles { parts: [SourceTiles::NO_PART; PARTS], count, is_known };
        tiles.parts[..usize::from(count)].copy_from_slice(self.parts(sources.set));
        tiles
    }

    /// Both in one value.
    #[inline]
    pub(crate) fn join(&mut self, one: &mut Sources, other: &Sources) {
        one.traces.join(other.traces);
        if one.set == 0 {
            one.set = other.set;
        } else if other.set != 0 && other.set != one.set {
            one.set = self.joined(one.set, other.set);
        }
    }

    fn joined(&mut self, one: u32, other: u32) -> u32 {
        let place = (one.wrapping_mul(31) ^ other) as usize % JOINED;
        let [first, second, known] = self.joined[place];
        if (first, second) == (one, other) {
            return known;
        }
        let tiles = |set| self.tiles(Sources { set, ..Sources::NONE });
        let mut both = tiles(one);
        both.join(&tiles(other));
        let is_same = |set: &u32| {
            let is_known = self.sets[*set as usize].is_known;
            both.is_known == is_known && both.parts() == self.parts(*set)
        };
        let made = match [one, other].into_iter().find(is_same) {
            Some(set) => set,
            None => self.add(both.parts(), both.is_known),
        };
        self.joined[place] = [one, other, made];
        made
    }

    fn add(&mut self, parts: &[Part], is_known: bool) -> u32 {
        let (first, count) = (self.parts.len() as u32, parts.len() as u8);
        self.parts.extend_from_slice(parts);
        self.sets.push(SourceSet { first, count, is_known });
        self.sets.len() as u32 - 1
    }

    fn parts(&self, set: u32) -> &[Part] {
        let SourceSet { first, count, .. } = self.sets[set as usize];
        &self.parts[first as usize..][..usize::from(count)]
    }
}

impl SourceTiles {
    const NO_PART: Part = Part { input: 0, rows: [0; 2], columns: [0; 2] };

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts[..usize::from(self.count)]
    }

    /// Whether all parts are there; if not, the value may hold more than they say.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    fn join(&mut self, other: &SourceTiles) {
        self.is_known &= other.is_known;
        other.parts().iter().for_each(|part| self.add(*part));
    }

    fn add(&mut self, part: Part) {
        let mut part = part;
        let mut place = 0;
        // A part that has grown may join another one, so the walk starts over.
        while place < usize::from(self.count) {
            if self.parts[place].has(&part) {
                return;
            }
            match self.parts[place].joined(&part) {
                Some(joined) => {
                    part = joined;
                    self.count -= 1;
                    self.parts[place] = self.parts[usize::from(self.count)];
                    place = 0;
                }
                None => place += 1,
            }
        }
        match self.parts.get_mut(usize::from(self.count)) {
            Some(free) => {
                *free = part;
                self.count += 1;
            }
            None => self.is_known = false,
        }
    }

    /// How many tiles of a rectangle are in the value.
    pub(crate) fn tiles_of(&self, wanted: &Part) -> u64 {
        let has = |row: u32, column: u32| {
            let tile = Part::new(wanted.input, row..row + 1, column..column + 1);
            self.parts().iter().any(|part| part.has(&tile))
        };
        let tiles = (wanted.rows[0]..wanted.rows[1]).flat_map(|row| {
            (wanted.columns[0]..wanted.columns[1]).map(move |column| (row, column))
        });
        tiles.filter(|(row, column)| has(*row, *column)).count() as u64
    }

    /// Whether a whole rectangle is in the value.
    pub(crate) fn has(&self, wanted: &Part) -> bool {
        self.parts().iter().any(|part| part.has(wanted)) || self.tiles_of(wanted) == wanted.tiles()
    }

    /// The parts of one input.
    pub(crate) fn of_input(&self, input: u8) -> impl Iterator<Item = &Part> {
        self.parts().iter().filter(move |part| part.input == input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(input: u8, row: u32, column: u32) -> Part {
        Part::new(input, row..row + 1, column..column + 1)
    }

    /// What a value holds that is made of these tiles, one after the other.
    fn made_of(tiles: impl IntoIterator<Item = Part>) -> SourceTiles {
        let (mut sets, mut value) = (SourceSets::default(), Sources::NONE);
        for tile in tiles {
            let other = sets.of(tile);
            sets.join(&mut value, &other);
        }
        sets.tiles(value)
    }

    #[test]
    fn a_row_of_tiles_becomes_one_part() {
        let columns = [0, 2, 1, 3].into_iter();
        let sources = made_of(columns.flat_map(|column| [tile(0, 5, column), tile(1, 0, column)]));
        assert_eq!(sources.parts().len(), 2);
        assert!(sources.has(&Part::new(0, 5..6, 0..4)) && sources.has(&Part::new(1, 0..1, 0..4)));
        assert!(!sources.has(&Part::new(0, 5..6, 0..5)));
        assert_eq!(sources.tiles_of(&Part::new(0, 5..7, 0..5)), 4);
    }

    #[test]
    fn too_many_parts_are_not_known() {
        let apart = |place: u32| tile(0, 2 * place, 2 * place);
        assert!(made_of((0..8).map(apart)).is_known());
        assert!(!made_of((0..8).map(apart).chain([tile(0, 30, 0)])).is_known());
    }

    #[test]
    fn what_was_joined_before_is_the_same_value() {
        let mut sets = SourceSets::default();
        let (one, other) = (sets.of(tile(0, 0, 0)), sets.of(tile(0, 0, 1)));
        let join = |sets: &mut SourceSets, mut one: Sources, other: &Sources| {
            sets.join(&mut one, other);
            one
        };
        let both = join(&mut sets, one, &other);
        assert_eq!(join(&mut sets, one, &other), both);
        assert_eq!((join(&mut sets, both, &one), join(&mut sets, one, &both)), (both, both));
        assert_eq!(join(&mut sets, Sources::NONE, &both), both);
        assert_ne!(join(&mut sets, other, &one), other);
    }
}
