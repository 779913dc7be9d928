//! The banks of DRAM. Within a window of simulated time they are only read; writes are applied
//! between windows, bank by bank, so that host threads never race for them.
//!
//! A bank's bytes lie in leaves. A write that fills one is not copied into it: the leaf that the
//! write has filled takes its place. Knows nothing of who writes, or when.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::prefetch::{prefetch, prefetch_place};
use crate::lock::lock;
use crate::units::DramAddress;

/// Bytes of a leaf: those of a bf16 tile.
const LEAF_BYTES: usize = 2048;

/// How far the first leaf reaches out before the bank: buffers begin at multiples of 1,024, the
/// first one at 1,024, and mostly take whole tiles.
const OUTSIDE: usize = 1024;

/// Bytes of a bank that are handed over as a whole, in whole lines of the host's caches.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Leaf([u8; LEAF_BYTES]);

impl Leaf {
    const ZERO: Leaf = Leaf([0; LEAF_BYTES]);

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The part of a span of bytes that lies in one leaf.
pub(crate) struct Part {
    leaf: usize,
    /// Bytes of the leaf.
    inside: Range<usize>,
    /// The same bytes, counted from the start of the span.
    pub(crate) of_span: Range<usize>,
}

impl Part {
    /// The parts of a span, in order.
    #[inline(always)]
    pub(crate) fn all(offset: u64, length: usize) -> impl Iterator<Item = Part> {
        let start = offset as usize + OUTSIDE;
        let end = start + length;
        (start / LEAF_BYTES..end.div_ceil(LEAF_BYTES)).map(move |leaf| {
            let first = start.max(leaf * LEAF_BYTES);
            let last = end.min((leaf + 1) * LEAF_BYTES);
            let base = leaf * LEAF_BYTES;
            Part { leaf, inside: first - base..last - base, of_span: first - start..last - start }
        })
    }

    pub(crate) fn is_whole_leaf(&self) -> bool {
        self.inside.len() == LEAF_BYTES
    }
}

/// Leaves that lie one behind the other. Those that nobody has written are zero, and take no memory
/// of the host.
type Branch = [Option<Arc<Leaf>>; BRANCH_LEAVES];

/// How many leaves are copied together when one of two devices writes to one that they share: their
/// counts are all that is touched of the others.
const BRANCH_LEAVES: usize = 64;

const BLANK: Branch = [const { None }; BRANCH_LEAVES];

/// One bank.
#[derive(Clone, Default)]
pub(crate) struct Bank {
    branches: Vec<Arc<Branch>>,
}

impl Bank {
    /// Exchanges a leaf: the write's takes its place, and the write gets what was there.
    pub(crate) fn exchange(&mut self, offset: u64, leaf: &mut Option<Arc<Leaf>>) {
        std::mem::swap(self.leaf_mut((offset as usize + OUTSIDE) / LEAF_BYTES), leaf);
    }

    #[inline(always)]
    fn leaf(&self, leaf: usize) -> Option<&Leaf> {
        self.branches[leaf / BRANCH_LEAVES][leaf % BRANCH_LEAVES].as_deref()
    }

    fn leaf_mut(&mut self, leaf: usize) -> &mut Option<Arc<Leaf>> {
        &mut Arc::make_mut(&mut self.branches[leaf / BRANCH_LEAVES])[leaf % BRANCH_LEAVES]
    }

    fn written_leaves(&self) -> usize {
        let written = |branch: &Arc<Branch>| branch.iter().filter(|leaf| leaf.is_some()).count();
        self.branches.iter().map(written).sum()
    }

    /// Replaces bytes.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        for Part { leaf, inside, of_span } in Part::all(offset, bytes.len()) {
            let leaf = self.leaf_mut(leaf).get_or_insert_with(|| Arc::new(Leaf::ZERO));
            Arc::make_mut(leaf).0[inside].copy_from_slice(&bytes[of_span]);
        }
    }

    #[inline(always)]
    fn read(&self, offset: u64, to: &mut [u8]) {
        for Part { leaf, inside, of_span } in Part::all(offset, to.len()) {
            match self.leaf(leaf) {
                Some(leaf) => to[of_span].copy_from_slice(&leaf.0[inside]),
                None => to[of_span].fill(0),
            }
        }
    }
}

/// All banks. Only what has been written takes host memory.
pub struct Dram {
    /// Each is shared with whoever reads it in a window.
    banks: Vec<Mutex<Arc<Bank>>>,
    bank_bytes: u64,
}

impl Dram {
    /// `banks` empty banks.
    pub fn new(banks: usize) -> Dram {
        Dram { banks: (0..banks).map(|_| Mutex::default()).collect(), bank_bytes: 0 }
    }

    /// Other banks with the same contents; they take memory of their own where they differ.
    pub fn copy(&self) -> Dram {
        let banks = self.banks.iter().map(|bank| Mutex::new(lock(bank).clone())).collect();
        Dram { banks, bank_bytes: self.bank_bytes }
    }

    /// How many banks there are.
    pub fn banks(&self) -> usize {
        self.banks.len()
    }

    /// Bytes that every bank holds.
    pub fn bank_bytes(&self) -> u64 {
        self.bank_bytes
    }

    /// Makes every bank at least `bytes` long; new bytes are zero.
    pub fn grow(&mut self, bytes: usize) {
        self.bank_bytes = self.bank_bytes.max(bytes as u64);
        let branches = (bytes + OUTSIDE).div_ceil(LEAF_BYTES * BRANCH_LEAVES);
        for bank in &self.banks {
            let bank = &mut *lock(bank);
            if bank.branches.len() < branches {
                Arc::make_mut(bank).branches.resize(branches, Arc::new(BLANK));
            }
        }
    }

    /// Leaves of all banks that nobody has written.
    pub fn blank_leaves(&self) -> usize {
        let all = (self.bank_bytes as usize + OUTSIDE).div_ceil(LEAF_BYTES);
        self.banks.iter().map(|bank| all - lock(bank).written_leaves()).sum()
    }

    /// Copies bytes of one bank for the host; false if it does not hold them.
    pub fn read(&self, at: DramAddress, to: &mut [u8]) -> bool {
        let holds = self.holds(at, to.len());
        if holds {
            lock(&self.banks[usize::from(at.bank)]).read(at.offset, to);
        }
        holds
    }

    /// Replaces bytes of one bank by the host's; false if it does not hold them.
    pub fn write(&mut self, at: DramAddress, bytes: &[u8]) -> bool {
        let holds = self.holds(at, bytes.len());
        if holds {
            let bank = self.banks[usize::from(at.bank)].get_mut();
            Arc::make_mut(bank.unwrap_or_else(PoisonError::into_inner)).write(at.offset, bytes);
        }
        holds
    }

    fn holds(&self, at: DramAddress, length: usize) -> bool {
        let end = at.offset.checked_add(length as u64);
        usize::from(at.bank) < self.banks.len() && end.is_some_and(|end| end <= self.bank_bytes)
    }

    /// The banks for reading, for as long as a window lasts.
    pub fn view(&self) -> Arc<DramView> {
        Arc::new(DramView { banks: self.banks.iter().map(|bank| lock(bank).clone()).collect() })
    }

    /// Changes one bank while nobody has a view.
    pub(crate) fn change(&self, bank: usize, change: impl FnOnce(&mut Bank)) {
        change(Arc::make_mut(&mut *lock(&self.banks[bank])));
    }
}

/// The banks as they were when the window began.
pub struct DramView {
    banks: Vec<Arc<Bank>>,
}

impl DramView {
    /// Copies bytes. The caller has checked that the bank holds them.
    #[inline(always)]
    pub(crate) fn read(&self, at: DramAddress, to: &mut [u8]) {
        self.banks[usize::from(at.bank)].read(at.offset, to);
    }

    /// Announces that a transfer will take bytes soon; changes nothing else. They are mostly not in
    /// the host's caches.
    pub(crate) fn announce(&self, at: DramAddress, length: usize) {
        let Some(bank) = self.banks.get(usize::from(at.bank)) else { return };
        for Part { leaf, inside, .. } in Part::all(at.offset, length) {
            if let Some(leaf) = bank.leaf(leaf) {
                prefetch(&leaf.0[inside]);
            }
        }
    }
}

/// Leaves of one core that are announced at a time: more would be gone from the caches again.
const ANNOUNCED_MOST: usize = 8;

/// Leaves that nothing uses: those that writes have got in exchange.
#[derive(Default)]
pub(crate) struct SpareLeaves {
    leaves: Vec<Arc<Leaf>>,
    /// How many of the last ones have been announced.
    announced: usize,
}

impl SpareLeaves {
    pub(crate) fn add(&mut self, leaf: Arc<Leaf>) {
        self.leaves.push(leaf);
        self.announced = 0;
    }

    /// One of them, or a new one, with these bytes: as many as a leaf has.
    #[inline(always)]
    pub(crate) fn filled(&mut self, bytes: &[u8]) -> Arc<Leaf> {
        self.announced = self.announced.saturating_sub(1);
        // Another device may still have what a write has got in exchange.
        while let Some(mut leaf) = self.leaves.pop() {
            if let Some(own) = Arc::get_mut(&mut leaf) {
                own.0.copy_from_slice(bytes);
                return leaf;
            }
        }
        let mut leaf = Leaf::ZERO;
        leaf.0.copy_from_slice(bytes);
        Arc::new(leaf)
    }

    /// Announces that one more will be filled soon, if a write of so many bytes fills one; changes
    /// nothing else.
    pub(crate) fn announce(&mut self, bytes: u32) {
        if bytes as usize != LEAF_BYTES || self.announced == ANNOUNCED_MOST {
            return;
        }
        let next = self.leaves.len().checked_sub(self.announced + 1);
        if let Some(leaf) = next.and_then(|place| self.leaves.get(place)) {
            prefetch_place(leaf);
            self.announced += 1;
        }
    }

    /// Allocates the host's memory for so many now instead of on first use.
    pub(crate) fn populate(&mut self, leaves: usize) {
        while self.leaves.len() < leaves {
            self.leaves.push(Arc::new(Leaf::ZERO));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A span that begins and ends anywhere is read as it was written, whatever leaves it touches.
    #[test]
    fn spans_are_read_as_they_were_written() {
        let mut dram = Dram::new(2);
        dram.grow(10_000);
        let mut model = vec![0_u8; 10_000];
        let ends = [0, 1, 64, 1023, 1024, 1025, 3071, 3072, 5120, 7000, 9999, 10_000];
        let mut value = 0;
        for start in ends {
            for end in ends.into_iter().filter(|end| *end >= start) {
                value += 1;
                let at = DramAddress { bank: 1, offset: start as u64 };
                assert!(dram.write(at, &vec![value; end - start]));
                model[start..end].fill(value);
                let mut all = vec![1; model.len()];
                assert!(dram.read(DramAddress { bank: 1, offset: 0 }, &mut all));
                assert_eq!(all, model, "after {start}..{end}");
                let mut again = vec![1; end - start];
                dram.view().read(at, &mut again);
                assert_eq!(again, model[start..end], "{start}..{end}");
            }
        }
        let mut other = vec![1; model.len()];
        assert!(dram.read(DramAddress { bank: 0, offset: 0 }, &mut other));
        assert_eq!(other, vec![0; model.len()]);
        for (bank, offset) in [(2, 0), (1, 9_999), (1, u64::MAX)] {
            assert!(!dram.read(DramAddress { bank, offset }, &mut [0; 2]), "{bank}, {offset}");
        }
    }

    /// Leaves that two devices share are copied when one writes, and are no spare ones.
    #[test]
    fn copies_differ_once_one_is_written() {
        let at = DramAddress { bank: 0, offset: 1024 };
        let mut dram = Dram::new(1);
        dram.grow(3 * LEAF_BYTES);
        assert!(dram.write(at, &[1; LEAF_BYTES]));
        let mut copy = dram.copy();
        assert!(copy.write(at, &[2]));
        let mut spare = SpareLeaves::default();
        let mut leaf = Some(spare.filled(&[3; LEAF_BYTES]));
        copy.change(0, |bank| bank.exchange(at.offset + LEAF_BYTES as u64, &mut leaf));
        assert!(leaf.is_none(), "nothing was written there");
        let mut shared = Some(spare.filled(&[4; LEAF_BYTES]));
        dram.copy().change(0, |bank| bank.exchange(at.offset, &mut shared));
        spare.add(shared.expect("it was written"));
        let filled = spare.filled(&[5; LEAF_BYTES]);
        assert_eq!(filled.bytes()[0], 5);
        let mut seen = [0; LEAF_BYTES + 1];
        assert!(dram.read(at, &mut seen));
        assert_eq!((seen[0], seen[1], seen[LEAF_BYTES]), (1, 1, 0));
        assert!(copy.read(at, &mut seen));
        assert_eq!((seen[0], seen[1], seen[LEAF_BYTES]), (2, 1, 3));
    }
}
