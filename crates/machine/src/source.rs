//! SrcA and SrcB: two banks each, filled by unpack and drained by math.

use tilewright_tile::{Lanes, TILE_VALUES};

/// One source register file with its two banks. A bank holds one tile.
pub struct SourceBanks {
    banks: [Box<Lanes>; 2],
    full: [bool; 2],
    /// Whether a bank holds raw bits on their way to Dst (unpack-to-dest).
    raw: [bool; 2],
    fill: usize,
    drain: usize,
}

impl SourceBanks {
    pub(crate) fn new() -> SourceBanks {
        SourceBanks {
            banks: [Box::new([0; TILE_VALUES]), Box::new([0; TILE_VALUES])],
            full: [false; 2],
            raw: [false; 2],
            fill: 0,
            drain: 0,
        }
    }

    /// Takes the host's memory for the banks now instead of at their first use.
    pub(crate) fn populate(&mut self) {
        self.banks.iter_mut().for_each(|bank| bank[0] = std::hint::black_box(bank[0]));
    }

    /// What a launch does: both banks belong to unpack again.
    pub(crate) fn reset(&mut self) {
        self.full = [false; 2];
        self.fill = 0;
        self.drain = 0;
    }

    pub(crate) fn can_fill(&self) -> bool {
        !self.full[self.fill]
    }

    pub(crate) fn can_drain(&self) -> bool {
        self.full[self.drain]
    }

    /// The bank that unpack writes.
    pub(crate) fn filling(&mut self) -> &mut Lanes {
        &mut self.banks[self.fill]
    }

    /// Hands the filled bank to math.
    pub(crate) fn filled(&mut self, is_raw: bool) {
        assert!(self.can_fill(), "unpack waits for a free bank before it fills one");
        self.raw[self.fill] = is_raw;
        self.full[self.fill] = true;
        self.fill ^= 1;
    }

    /// The bank that math reads.
    pub(crate) fn draining(&self) -> &Lanes {
        &self.banks[self.drain]
    }

    /// Whether that bank holds raw bits for Dst.
    pub(crate) fn is_raw(&self) -> bool {
        self.raw[self.drain]
    }

    /// Gives the bank back to unpack.
    pub(crate) fn drained(&mut self) {
        assert!(self.can_drain(), "math waits for a full bank before it drains one");
        self.full[self.drain] = false;
        self.drain ^= 1;
    }
}
