//! The banks of DRAM. Within a window of simulated time they are only read; writes are applied
//! between windows, bank by bank, so that host threads never race for them.

use std::sync::{Arc, Mutex};

use super::prefetch::prefetch;
use crate::lock::lock;
use crate::units::DramAddress;

/// A bank's bytes, shared with whoever reads them in a window.
type Bank = Arc<Vec<u8>>;

/// All banks. Only what has been allocated takes host memory.
pub struct Dram {
    banks: Vec<Mutex<Bank>>,
}

impl Dram {
    /// `banks` empty banks.
    pub fn new(banks: usize) -> Dram {
        Dram { banks: (0..banks).map(|_| Mutex::default()).collect() }
    }

    /// Other banks with the same contents; they take memory of their own once they differ.
    pub fn copy(&self) -> Dram {
        Dram { banks: self.banks.iter().map(|bank| Mutex::new(lock(bank).clone())).collect() }
    }

    /// How many banks there are.
    pub fn banks(&self) -> usize {
        self.banks.len()
    }

    /// Bytes that every bank holds.
    pub fn bank_bytes(&self) -> u64 {
        self.banks.iter().map(|bank| lock(bank).len() as u64).min().unwrap_or(0)
    }

    /// Makes every bank at least `bytes` long; new bytes are zero.
    pub fn grow(&mut self, bytes: usize) {
        for bank in &self.banks {
            let bank = &mut *lock(bank);
            if bank.len() < bytes {
                Arc::make_mut(bank).resize(bytes, 0);
            }
        }
    }

    /// The host's view of a span of one bank.
    pub fn host_bytes(&mut self, at: DramAddress, length: usize) -> Option<&mut [u8]> {
        let bank = self.banks.get_mut(usize::from(at.bank))?;
        let bank = bank.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        let start = usize::try_from(at.offset).ok()?;
        Arc::make_mut(bank).get_mut(start..start.checked_add(length)?)
    }

    /// The banks for reading, for as long as a window lasts.
    pub fn view(&self) -> Arc<DramView> {
        Arc::new(DramView { banks: self.banks.iter().map(|bank| lock(bank).clone()).collect() })
    }

    /// Replaces bytes of one bank, in this order, while nobody has a view. The caller has checked
    /// the places against a [`DramView`].
    pub(crate) fn write_bank<'a>(&self, bank: u8, writes: impl Iterator<Item = &'a BankWrite<'a>>) {
        let mut bank = lock(&self.banks[usize::from(bank)]);
        let held = &mut Arc::make_mut(&mut *bank)[..];
        let mut writes = writes.peekable();
        while let Some(write) = writes.next() {
            if let Some(later) = writes.peek() {
                prefetch(later.bytes);
            }
            held[write.offset..write.offset + write.bytes.len()].copy_from_slice(write.bytes);
        }
    }
}

/// The banks as they were when the window began.
pub struct DramView {
    banks: Vec<Bank>,
}

impl DramView {
    /// `length` bytes from `at`, if the bank holds them.
    pub fn get(&self, at: DramAddress, length: usize) -> Option<&[u8]> {
        let bank = self.banks.get(usize::from(at.bank))?;
        let start = usize::try_from(at.offset).ok()?;
        bank.get(start..start.checked_add(length)?)
    }

    /// Announces that a transfer will take bytes soon; changes nothing else. They are mostly not in
    /// the host's caches.
    pub(crate) fn announce(&self, at: DramAddress, length: usize) {
        prefetch(self.get(at, length).unwrap_or_default());
    }
}

/// Bytes for a place in a bank.
pub(crate) struct BankWrite<'a> {
    pub(crate) offset: usize,
    pub(crate) bytes: &'a [u8],
}
