//! The banks of DRAM. Within a window of simulated time they are only read; writes are applied
//! between windows, bank by bank, so that host threads never race for them.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::units::DramAddress;

/// All banks. Only what has been allocated takes host memory.
pub struct Dram {
    banks: Vec<RwLock<Vec<u8>>>,
}

impl Dram {
    /// `banks` empty banks.
    pub fn new(banks: usize) -> Dram {
        Dram { banks: (0..banks).map(|_| RwLock::new(Vec::new())).collect() }
    }

    /// Other banks with the same contents.
    pub fn copy(&self) -> Dram {
        let copy = |bank: &RwLock<Vec<u8>>| {
            RwLock::new(bank.read().unwrap_or_else(PoisonError::into_inner).clone())
        };
        Dram { banks: self.banks.iter().map(copy).collect() }
    }

    /// How many banks there are.
    pub fn banks(&self) -> usize {
        self.banks.len()
    }

    /// Bytes that every bank holds.
    pub fn bank_bytes(&self) -> u64 {
        let bytes = |bank: &RwLock<Vec<u8>>| {
            bank.read().unwrap_or_else(PoisonError::into_inner).len() as u64
        };
        self.banks.iter().map(bytes).min().unwrap_or(0)
    }

    /// Makes every bank at least `bytes` long; new bytes are zero.
    pub fn grow(&mut self, bytes: usize) {
        for bank in &mut self.banks {
            let bank = bank.get_mut().unwrap_or_else(PoisonError::into_inner);
            if bank.len() < bytes {
                bank.resize(bytes, 0);
            }
        }
    }

    /// The host's view of a span of one bank.
    pub fn host_bytes(&mut self, at: DramAddress, length: usize) -> Option<&mut [u8]> {
        let bank = self.banks.get_mut(usize::from(at.bank))?;
        let bank = bank.get_mut().unwrap_or_else(PoisonError::into_inner);
        let start = usize::try_from(at.offset).ok()?;
        bank.get_mut(start..start.checked_add(length)?)
    }

    /// The banks for reading, for as long as a window lasts.
    pub fn view(&self) -> DramView<'_> {
        DramView {
            banks: self
                .banks
                .iter()
                .map(|bank| bank.read().unwrap_or_else(PoisonError::into_inner))
                .collect(),
        }
    }

    /// The banks for writing, each from its first write on. Taking a lock waits for what was written
    /// before, so that it is not done for every write.
    pub(crate) fn writer(&self) -> DramWriter<'_> {
        DramWriter { dram: self, banks: self.banks.iter().map(|_| None).collect() }
    }
}

/// Banks that are written to.
pub(crate) struct DramWriter<'a> {
    dram: &'a Dram,
    banks: Vec<Option<RwLockWriteGuard<'a, Vec<u8>>>>,
}

impl DramWriter<'_> {
    /// Replaces bytes of one bank. The caller has checked the span against a view.
    pub(crate) fn write(&mut self, at: DramAddress, bytes: &[u8]) {
        let place = usize::from(at.bank);
        let lock = || self.dram.banks[place].write().unwrap_or_else(PoisonError::into_inner);
        let bank = self.banks[place].get_or_insert_with(lock);
        let start = at.offset as usize;
        bank[start..start + bytes.len()].copy_from_slice(bytes);
    }
}

/// The banks as they were when the window began.
pub struct DramView<'a> {
    banks: Vec<RwLockReadGuard<'a, Vec<u8>>>,
}

impl DramView<'_> {
    /// `length` bytes from `at`, if the bank holds them.
    pub fn get(&self, at: DramAddress, length: usize) -> Option<&[u8]> {
        let bank = self.banks.get(usize::from(at.bank))?;
        let start = usize::try_from(at.offset).ok()?;
        bank.get(start..start.checked_add(length)?)
    }
}
