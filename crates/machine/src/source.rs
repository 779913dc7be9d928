//! SrcA and SrcB: two banks each, filled by unpack and drained by math.

use tilewright_tile::fpu::Bfloat16Tile;
use tilewright_tile::{DataFormat, Lanes, TILE_VALUES, unpack};

use crate::memory::L1;
use crate::units::L1Address;

/// What a bank holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Values of a source register.
    Values,
    /// Raw bits on their way to Dst (unpack-to-dest).
    Raw,
    /// A bf16 tile as it was in L1, not yet converted to values.
    Bfloat16,
    /// The same, still in L1 and not overwritten since.
    Held(L1Address),
}

struct Bank {
    values: Box<Lanes>,
    bytes: Box<Bfloat16Tile>,
    content: Content,
    is_full: bool,
}

/// One source register file with its two banks. A bank holds one tile.
pub struct SourceBanks {
    /// None before the first launch: most programs leave most cores idle.
    banks: Vec<Bank>,
    fill: usize,
    drain: usize,
}

impl SourceBanks {
    pub(crate) fn new() -> SourceBanks {
        SourceBanks { banks: Vec::new(), fill: 0, drain: 0 }
    }

    fn take_memory(&mut self) {
        self.banks.resize_with(2, || Bank {
            values: Box::new([0; TILE_VALUES]),
            bytes: Box::new([0; 2 * TILE_VALUES]),
            content: Content::Values,
            is_full: false,
        });
    }

    /// Allocates the host's memory for the banks now instead of on first use.
    pub(crate) fn populate(&mut self) {
        self.take_memory();
        for bank in &mut self.banks {
            bank.values[0] = std::hint::black_box(bank.values[0]);
        }
    }

    /// What a launch does: both banks belong to unpack again.
    pub(crate) fn reset(&mut self) {
        self.take_memory();
        self.banks.iter_mut().for_each(|bank| bank.is_full = false);
        self.fill = 0;
        self.drain = 0;
    }

    pub(crate) fn can_fill(&self) -> bool {
        !self.banks[self.fill].is_full
    }

    pub(crate) fn can_drain(&self) -> bool {
        self.banks[self.drain].is_full
    }

    /// The bank that unpack writes.
    pub(crate) fn filling(&mut self) -> &mut Lanes {
        &mut self.banks[self.fill].values
    }

    /// Hands the filled bank to math.
    pub(crate) fn filled(&mut self, is_raw: bool) {
        self.hand_over(if is_raw { Content::Raw } else { Content::Values });
    }

    /// Fills a bank with a bf16 tile of L1 and hands it to math. Most of them are only moved on, so
    /// that their bytes are not copied before someone writes over them.
    pub(crate) fn fill_bfloat16(&mut self, at: L1Address) {
        self.hand_over(Content::Held(at));
    }

    /// Copies the tiles that overlap bytes of L1 which are about to be written.
    pub(crate) fn detach(&mut self, l1: &L1, at: L1Address, bytes: u32) {
        for bank in self.banks.iter_mut().filter(|bank| bank.is_full) {
            if let Content::Held(held) = bank.content
                && held.0 < at.0.saturating_add(bytes)
                && at.0 < held.0.saturating_add(TILE_BYTES)
            {
                *bank.bytes = *tile_at(l1, held);
                bank.content = Content::Bfloat16;
            }
        }
    }

    fn hand_over(&mut self, content: Content) {
        assert!(self.can_fill(), "unpack waits for a free bank before it fills one");
        let bank = &mut self.banks[self.fill];
        (bank.content, bank.is_full) = (content, true);
        self.fill ^= 1;
    }

    /// The bytes of the bank that math reads, if they are a bf16 tile's.
    pub(crate) fn draining_bfloat16<'a>(&'a self, l1: &'a L1) -> Option<&'a Bfloat16Tile> {
        let bank = &self.banks[self.drain];
        match bank.content {
            Content::Bfloat16 => Some(&bank.bytes),
            Content::Held(at) => Some(tile_at(l1, at)),
            Content::Values | Content::Raw => None,
        }
    }

    /// Makes values of the bank that math reads, if it holds a tile's bytes.
    pub(crate) fn widen(&mut self, l1: &L1) {
        let bank = &mut self.banks[self.drain];
        let bytes = match bank.content {
            Content::Bfloat16 => &*bank.bytes,
            Content::Held(at) => tile_at(l1, at),
            Content::Values | Content::Raw => return,
        };
        let format = DataFormat::Bfloat16;
        unpack(bytes, format, format, &mut bank.values).expect("what unpack does most");
        bank.content = Content::Values;
    }

    /// The values of the bank that math reads, which are there.
    pub(crate) fn draining(&self) -> &Lanes {
        let bank = &self.banks[self.drain];
        let has_values = matches!(bank.content, Content::Values | Content::Raw);
        assert!(has_values, "values are asked for before they are read");
        &bank.values
    }

    /// Whether that bank holds raw bits for Dst.
    pub(crate) fn is_raw(&self) -> bool {
        self.banks[self.drain].content == Content::Raw
    }

    /// Gives the bank back to unpack.
    pub(crate) fn drained(&mut self) {
        assert!(self.can_drain(), "math waits for a full bank before it drains one");
        self.banks[self.drain].is_full = false;
        self.drain ^= 1;
    }
}

/// Bytes of a bf16 tile.
const TILE_BYTES: u32 = 2 * TILE_VALUES as u32;

/// A tile in L1, whose place was looked at when unpack took it.
fn tile_at(l1: &L1, at: L1Address) -> &Bfloat16Tile {
    l1.get(at, TILE_BYTES as usize).and_then(<[u8]>::first_chunk).expect("checked by unpack")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(l1: &mut L1, at: u32, value: u8) {
        l1.get_mut(L1Address(at), TILE_BYTES as usize).expect("inside").fill(value);
    }

    #[test]
    fn a_tile_stays_what_it_was_when_its_place_is_written() {
        let (mut l1, mut banks) = (L1::new(8192), SourceBanks::new());
        banks.reset();
        fill(&mut l1, 2048, 7);
        banks.fill_bfloat16(L1Address(2048));
        for beside in [2040, 4096] {
            banks.detach(&l1, L1Address(beside), 8);
            assert!(banks.banks[0].content == Content::Held(L1Address(2048)));
        }
        banks.detach(&l1, L1Address(4092), 8);
        fill(&mut l1, 4092, 9);
        assert_eq!(banks.draining_bfloat16(&l1), Some(&[7; TILE_BYTES as usize]));
        banks.widen(&l1);
        assert_eq!(banks.draining()[1023], 0x0707_0000);
    }

    #[test]
    fn both_banks_are_kept_and_those_that_were_drained_are_not() {
        let (mut l1, mut banks) = (L1::new(8192), SourceBanks::new());
        banks.reset();
        fill(&mut l1, 0, 1);
        banks.fill_bfloat16(L1Address(0));
        banks.fill_bfloat16(L1Address(0));
        banks.drained();
        banks.detach(&l1, L1Address(0), 1);
        fill(&mut l1, 0, 2);
        assert!(banks.banks[0].content == Content::Held(L1Address(0)), "nobody reads it again");
        assert_eq!(banks.draining_bfloat16(&l1), Some(&[1; TILE_BYTES as usize]));
    }
}
