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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sources {
    parts: [Part; PARTS],
    count: u8,
    is_known: bool,
    /// The findings that have touched the value.
    pub(crate) traces: Traces,
}

impl Sources {
    const NO_PART: Part = Part { input: 0, rows: [0; 2], columns: [0; 2] };
    pub(crate) const NONE: Sources = Sources {
        parts: [Sources::NO_PART; PARTS],
        count: 0,
        is_known: true,
        traces: Traces::NONE,
    };

    pub(crate) fn of(part: Part) -> Sources {
        let mut sources = Sources::NONE;
        sources.add(part);
        sources
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts[..usize::from(self.count)]
    }

    /// Whether all parts are there; if not, the value may hold more than they say.
    pub(crate) fn is_known(&self) -> bool {
        self.is_known
    }

    pub(crate) fn join(&mut self, other: &Sources) {
        if self.count == 0 {
            let Sources { is_known, traces, .. } = *self;
            *self = *other;
            self.is_known &= is_known;
            self.traces.join(traces);
            return;
        }
        self.is_known &= other.is_known;
        self.traces.join(other.traces);
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

    #[test]
    fn a_row_of_tiles_becomes_one_part() {
        let mut sources = Sources::NONE;
        for column in [0, 2, 1, 3] {
            sources.join(&Sources::of(tile(0, 5, column)));
            sources.join(&Sources::of(tile(1, 0, column)));
        }
        assert_eq!(sources.parts().len(), 2);
        assert!(sources.has(&Part::new(0, 5..6, 0..4)) && sources.has(&Part::new(1, 0..1, 0..4)));
        assert!(!sources.has(&Part::new(0, 5..6, 0..5)));
        assert_eq!(sources.tiles_of(&Part::new(0, 5..7, 0..5)), 4);
    }

    #[test]
    fn too_many_parts_are_not_known() {
        let mut sources = Sources::NONE;
        (0..8).for_each(|place| sources.join(&Sources::of(tile(0, 2 * place, 2 * place))));
        assert!(sources.is_known());
        sources.join(&Sources::of(tile(0, 30, 0)));
        assert!(!sources.is_known());
    }
}
