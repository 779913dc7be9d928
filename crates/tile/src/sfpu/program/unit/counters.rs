//! Where in Dst an access falls: counters that instructions move.

use crate::Chip;

/// Rows that addresses count to.
const ROWS: u32 = 1024;

/// How an access moves the counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressMode {
    /// Rows to add.
    pub increment: i32,
    /// Whether the counter starts again from zero.
    pub clears: bool,
    /// Whether the copy is moved, and the counter set to it.
    pub moves_copy: bool,
    /// Whether the counter is moved, and the copy set to it.
    pub sets_copy: bool,
}

/// The counters of one processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The first row of what accesses are relative to, within the section of Dst.
    pub base: u32,
    /// Whether accesses use the upper four modes. Blackhole's name any of the eight.
    pub uses_upper_modes: bool,
    /// How accesses move the counter, by mode.
    pub modes: [AddressMode; 8],
    counter: u32,
    copy: u32,
}

impl Counters {
    /// What an access's address mode stands for.
    pub fn mode(&self, chip: Chip, mode: u32) -> AddressMode {
        match chip {
            Chip::Wormhole => {
                self.modes[(mode as usize & 3) + if self.uses_upper_modes { 4 } else { 0 }]
            }
            Chip::Blackhole => self.modes[mode as usize & 7],
        }
    }

    /// The row of an access, which moves the counter.
    pub(super) fn access(&mut self, address: u32, mode: AddressMode) -> u32 {
        let row = (self.base + self.counter + address) % ROWS;
        let moved = |from: u32| from.wrapping_add_signed(mode.increment) % ROWS;
        if mode.clears {
            (self.counter, self.copy) = (0, 0);
        } else if mode.moves_copy {
            self.copy = moved(self.copy);
            self.counter = self.copy;
        } else {
            self.counter = moved(self.counter);
            if mode.sets_copy {
                self.copy = self.counter;
            }
        }
        row
    }

    /// The row of an access that moves nothing.
    pub fn row(&self, address: u32) -> u32 {
        (self.base + self.counter + address) % ROWS
    }

    /// INCRWC.
    pub fn increase(&mut self, rows: u32, with_copy: bool) {
        if with_copy {
            self.copy = (self.copy + rows) % ROWS;
            self.counter = self.copy;
        } else {
            self.counter = (self.counter + rows) % ROWS;
        }
    }

    /// SETRWC: to a number of rows, or to that many after the copy or after the counter.
    pub(super) fn set(&mut self, rows: u32, after_copy: bool, after_counter: bool) {
        let before = match (after_counter, after_copy) {
            (true, _) => self.counter,
            (false, true) => self.copy,
            (false, false) => 0,
        };
        self.counter = (before + rows) % ROWS;
        self.copy = self.counter;
    }
}
