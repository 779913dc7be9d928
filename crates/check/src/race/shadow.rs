//! Who touched which bytes last: a record for each page of a ring, each piece of other L1 as it is
//! used, each kilobyte of DRAM.
//!
//! A record keeps the exact bytes of an access, so that neighbours in one cell are distinguished. A
//! cell keeps few records: one that is forgotten can hide a conflict and never makes one up.

use tilewright_machine::{CbConfig, Cycle};

use super::clock::{Slot, VectorClock};

/// What an access did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum How {
    /// The unpacker read a tile.
    #[default]
    Unpack,
    /// The packer wrote a tile.
    Pack,
    /// A processor read directly.
    Load,
    /// A processor wrote directly.
    Store,
    /// A NoC read brings bytes here.
    ReadInto,
    /// A NoC read takes bytes from here.
    ReadFrom,
    /// A NoC write takes bytes from here.
    WriteFrom,
    /// A NoC write brings bytes here.
    WriteInto,
}

impl How {
    pub(super) fn is_write(self) -> bool {
        match self {
            How::Pack | How::Store | How::ReadInto | How::WriteInto => true,
            How::Unpack | How::Load | How::ReadFrom | How::WriteFrom => false,
        }
    }
}

/// One access.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    /// When it is over: at this moment of this line.
    pub(super) at: u32,
    pub(super) slot: Slot,
    pub(super) how: How,
    /// Its bytes; none in an empty record.
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) site: u32,
    pub(super) cycle: Cycle,
}

impl Access {
    fn overlaps(&self, other: &Access) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether it is over before what a holder of `clock` on `core` does next as `next`.
    fn is_before(&self, next: &Access, clock: &VectorClock, core: usize) -> bool {
        // Requests of one line arrive in order; reads and departures have no such order, but a
        // write that is followed by a read of the same place is seen by it (NoC/Ordering.md).
        let follows = self.how == How::WriteInto
            && match next.how {
                How::WriteInto => self.slot == next.slot,
                How::ReadFrom => {
                    self.slot.owner() == next.slot.owner() && self.slot.core() == next.slot.core()
                }
                How::Unpack
                | How::Pack
                | How::Load
                | How::Store
                | How::ReadInto
                | How::WriteFrom => false,
            };
        follows || clock.knows(core, self.slot, self.at)
    }
}

const WRITES: usize = 2;
const READS: usize = 2;

/// What is remembered of some bytes, and which lines they are.
#[derive(Clone, Copy, Default)]
struct Cell {
    writes: [Access; WRITES],
    reads: [Access; READS],
    first: u32,
    lines: u32,
}

impl Cell {
    /// Records an access; gives one that it conflicts with, if there is any.
    fn take(&mut self, next: &Access, clock: &VectorClock, core: usize) -> Option<Access> {
        // One of no bytes is over: it is at moment 0, which everybody knows.
        let are_over = |all: &[Access; 2]| {
            [all[0].is_before(next, clock, core), all[1].is_before(next, clock, core)]
        };
        let clashing = |all: &[Access; 2], are_over: [bool; 2]| {
            let clashes = |place: &usize| !are_over[*place] && all[*place].overlaps(next);
            (0..2).find(clashes).map(|place| all[place])
        };
        let (writes, reads) = (are_over(&self.writes), are_over(&self.reads));
        let conflict = clashing(&self.writes, writes);
        if !next.how.is_write() {
            put(&mut self.reads, next, reads);
            return conflict;
        }
        let conflict = conflict.or_else(|| clashing(&self.reads, reads));
        put(&mut self.writes, next, writes);
        for read in &mut self.reads {
            if next.start <= read.start && read.end <= next.end {
                *read = Access::default();
            }
        }
        conflict
    }
}

/// Puts a record where it says most: over one whose bytes it covers and that is over, then into an
/// empty place, then over one that is over, then over the first.
fn put(records: &mut [Access; 2], next: &Access, are_over: [bool; 2]) {
    let covers = |old: &Access| next.start <= old.start && old.end <= next.end;
    let is_free = |old: &Access, is_over: bool| old.end == 0 || is_over && covers(old);
    let place = if is_free(&records[0], are_over[0]) {
        0
    } else if is_free(&records[1], are_over[1]) {
        1
    } else {
        usize::from(!are_over[0] && are_over[1])
    };
    records[place] = *next;
}

/// The records of one memory.
#[derive(Default)]
pub(super) struct Cells {
    line_bytes: u32,
    rings: Vec<CbConfig>,
    /// The number of each line's cell, plus one; 0 where nothing was touched.
    numbers: Vec<u32>,
    cells: Vec<Cell>,
}

/// Bytes of an L1 line: rings begin at multiples of it, and no NoC alignment is coarser.
const L1_LINE_BYTES: u32 = 32;

/// Bytes of a line of DRAM: half a tile of 16-bit values.
const DRAM_LINE_BYTES: u32 = 1024;

impl Cells {
    /// Those of an L1. A page of a ring is one cell if no other ring lays pages over it.
    pub(super) fn l1(rings: &[CbConfig]) -> Cells {
        let is_even = |ring: &CbConfig| {
            ring.base.0.is_multiple_of(L1_LINE_BYTES)
                && ring.page_bytes.is_multiple_of(L1_LINE_BYTES)
        };
        let shares = |ring: &CbConfig, other: &CbConfig| {
            other.base < ring.limit() && ring.base < other.limit()
        };
        let agrees = |ring: &CbConfig, other: &CbConfig| {
            !shares(ring, other) || ring.base == other.base && ring.page_bytes == other.page_bytes
        };
        let alone = |ring: &&CbConfig| is_even(ring) && rings.iter().all(|it| agrees(ring, it));
        let rings = rings.iter().filter(alone).copied().collect();
        Cells { line_bytes: L1_LINE_BYTES, rings, ..Cells::default() }
    }

    /// Those of a bank of DRAM.
    pub(super) fn dram() -> Cells {
        Cells { line_bytes: DRAM_LINE_BYTES, ..Cells::default() }
    }

    /// Records an access; gives one that it conflicts with, if there is any.
    pub(super) fn take(
        &mut self,
        next: &Access,
        clock: &VectorClock,
        core: usize,
    ) -> Option<Access> {
        let (mut line, last) = (next.start / self.line_bytes, next.end.div_ceil(self.line_bytes));
        let mut conflict = None;
        while line < last {
            let number = self.cell(line, next);
            let cell = &mut self.cells[number];
            line = cell.first + cell.lines;
            conflict = conflict.or(cell.take(next, clock, core));
        }
        conflict
    }

    /// A store to these bytes of which a holder of `clock` on `core` does not know.
    pub(super) fn store_unknown_to(
        &self,
        (start, end): (u32, u32),
        clock: &VectorClock,
        core: usize,
    ) -> Option<Access> {
        let number = *self.numbers.get((start / self.line_bytes) as usize)?;
        let cell = self.cells.get((number as usize).checked_sub(1)?)?;
        let asked = Access { start, end, ..Access::default() };
        let is_unknown = |old: &&Access| {
            old.how == How::Store && old.overlaps(&asked) && !clock.knows(core, old.slot, old.at)
        };
        cell.writes.iter().find(is_unknown).copied()
    }

    /// The cell of a line, in pieces of a line if the access ends inside it.
    fn cell(&mut self, line: u32, next: &Access) -> usize {
        if self.numbers.len() <= line as usize {
            self.numbers.resize(line as usize + 1, 0);
        }
        if self.numbers[line as usize] == 0 {
            self.begin(line, next);
        }
        let number = self.numbers[line as usize] as usize - 1;
        let cell = &self.cells[number];
        let (start, end) =
            (cell.first * self.line_bytes, (cell.first + cell.lines) * self.line_bytes);
        if cell.lines == 1 || next.start <= start && end <= next.end {
            return number;
        }
        self.split(number);
        self.numbers[line as usize] as usize - 1
    }

    /// Makes the cell of a line that nobody has touched: its page, or outside of rings as much as
    /// the access takes.
    fn begin(&mut self, line: u32, next: &Access) {
        let at = line * self.line_bytes;
        let ring = self.rings.iter().find(|ring| ring.base.0 <= at && at < ring.limit().0);
        let (first, end) = match ring {
            Some(ring) => {
                let page = (at - ring.base.0) / ring.page_bytes;
                let lines = ring.page_bytes / self.line_bytes;
                let first = ring.base.0 / self.line_bytes + page * lines;
                (first as usize, (first + lines) as usize)
            }
            None => (line as usize, self.untouched_end(line, next)),
        };
        if self.numbers.len() < end {
            self.numbers.resize(end, 0);
        }
        let lines = (end - first) as u32;
        self.cells.push(Cell { first: first as u32, lines, ..Cell::default() });
        self.numbers[first..end].fill(self.cells.len() as u32);
    }

    /// The line after those that an access covers and that are untouched, from one on.
    fn untouched_end(&self, line: u32, next: &Access) -> usize {
        let is_ring = |line: usize| {
            let at = line as u32 * self.line_bytes;
            self.rings.iter().any(|ring| ring.base.0 <= at && at < ring.limit().0)
        };
        let first = line as usize;
        let covered = (next.end / self.line_bytes) as usize;
        let whole =
            if next.start <= line * self.line_bytes { first..covered } else { first..first };
        let is_free = |line: &usize| {
            self.numbers.get(*line).is_none_or(|number| *number == 0) && !is_ring(*line)
        };
        first + whole.take_while(is_free).count().max(1)
    }

    fn split(&mut self, number: usize) {
        let whole = self.cells[number];
        self.cells[number].lines = 1;
        for line in whole.first + 1..whole.first + whole.lines {
            self.cells.push(Cell { first: line, lines: 1, ..whole });
            self.numbers[line as usize] = self.cells.len() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::{CbId, L1Address, Processor};
    use tilewright_tile::DataFormat;

    fn access(processor: Processor, how: How, (start, end): (u32, u32)) -> Access {
        let slot = Slot::processor(0, processor);
        Access { at: 1, slot, how, start, end, ..Access::default() }
    }

    fn ring() -> CbConfig {
        let (id, base) = (CbId(0), L1Address(4096));
        CbConfig { id, base, page_bytes: 2048, pages: 2, format: DataFormat::Bfloat16 }
    }

    #[test]
    fn a_page_is_one_cell_until_a_part_of_it_is_touched() {
        let (mut cells, clock) = (Cells::l1(&[ring()]), VectorClock::default());
        let whole = access(Processor::Pack, How::Pack, (4096, 6144));
        assert!(cells.take(&whole, &clock, 0).is_none());
        assert_eq!(cells.cells.len(), 1);
        let part = access(Processor::Reader, How::Load, (4128, 4132));
        assert!(cells.take(&part, &clock, 0).is_some());
        assert_eq!(cells.cells.len(), 64);
        let beside = access(Processor::Reader, How::Load, (6144, 6148));
        assert!(cells.take(&beside, &clock, 0).is_none());
    }

    #[test]
    fn words_in_one_line_are_told_apart() {
        let (mut cells, clock) = (Cells::l1(&[]), VectorClock::default());
        let first = access(Processor::Reader, How::Store, (64, 68));
        let second = access(Processor::Writer, How::Store, (68, 72));
        let third = access(Processor::Writer, How::Load, (64, 68));
        assert!(cells.take(&first, &clock, 0).is_none());
        assert!(cells.take(&second, &clock, 0).is_none());
        assert!(cells.take(&third, &clock, 0).is_some());
    }

    #[test]
    fn what_is_known_is_no_conflict() {
        let (mut cells, mut clock) = (Cells::dram(), VectorClock::default());
        let write = access(Processor::Writer, How::WriteInto, (0, 2048));
        let read = access(Processor::Reader, How::ReadFrom, (0, 2048));
        assert!(cells.take(&write, &clock, 0).is_none());
        clock.learn(write.slot, 1);
        assert!(cells.take(&read, &clock, 0).is_none());
        let again = access(Processor::Pack, How::Pack, (2000, 2048));
        assert!(cells.take(&again, &clock, 0).is_some_and(|old| old.how == How::ReadFrom));
    }

    #[test]
    fn bytes_outside_of_rings_are_kept_as_they_are_used() {
        let (mut cells, clock) = (Cells::l1(&[ring()]), VectorClock::default());
        let before = access(Processor::Pack, How::Pack, (64, 4224));
        assert!(cells.take(&before, &clock, 0).is_none());
        let sizes: Vec<u32> = cells.cells.iter().map(|cell| cell.lines).collect();
        assert_eq!(sizes[..2], [126, 1], "up to the ring, and then a page in pieces");
        let part = access(Processor::Reader, How::Load, (4000, 4008));
        assert!(cells.take(&part, &clock, 0).is_some());
        let beyond = access(Processor::Reader, How::Load, (4224, 4228));
        assert!(cells.take(&beyond, &clock, 0).is_none());
    }

    #[test]
    fn rings_that_share_bytes_in_unlike_pages_are_kept_by_lines() {
        let small = CbConfig { page_bytes: 1024, ..ring() };
        assert!(Cells::l1(&[ring(), small]).rings.is_empty());
        assert_eq!(Cells::l1(&[ring(), ring()]).rings.len(), 2);
    }
}
