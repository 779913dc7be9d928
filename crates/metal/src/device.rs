//! The host's handle on one simulated chip, and the allocation of its memories.
//!
//! Buffers grow upwards in DRAM and downwards in L1, at the same offset in every bank, and are
//! dropped all at once. Circular buffers of programs use what is left of L1, from below.

use std::fmt;

use tilewright_machine::{Architecture, Machine};

use crate::buffer::Buffer;
use crate::interleaving::{Interleaving, Storage};

/// The first offset in a bank that is given to a buffer, so that address 0 is never a tensor.
const DRAM_BASE: u64 = 1024;
/// Buffers begin at multiples of this in DRAM.
const DRAM_BUFFER_ALIGNMENT: u64 = 1024;

/// One chip with its memories' free space.
pub struct Device {
    machine: Machine,
    dram_next: u64,
    l1_lowest: u32,
}

impl Device {
    /// A chip after boot, with no buffers.
    pub fn new(arch: Architecture) -> Device {
        let l1_lowest = arch.l1_bytes;
        Device { machine: Machine::new(arch), dram_next: DRAM_BASE, l1_lowest }
    }

    /// Wormhole on an n150 board.
    pub fn n150() -> Device {
        Device::new(Architecture::wormhole_n150())
    }

    /// The chip itself.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The chip itself, to run programs on and to write to.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// The chip's table.
    pub fn architecture(&self) -> &Architecture {
        self.machine.architecture()
    }

    /// The lowest L1 address taken by a buffer, on every core alike: a program's circular buffers
    /// must end at or below it.
    pub fn l1_lowest(&self) -> u32 {
        self.l1_lowest
    }

    /// The first offset that no buffer takes, in every bank of DRAM alike.
    pub fn dram_next(&self) -> u64 {
        self.dram_next
    }

    /// Gives room for `pages` pages, interleaved over all banks. Their contents are whatever was
    /// there before.
    pub fn allocate(
        &mut self,
        storage: Storage,
        page_bytes: u32,
        pages: u32,
    ) -> Result<Buffer, AllocationError> {
        if pages == 0 || page_bytes == 0 {
            return Err(AllocationError::Empty { page_bytes, pages });
        }
        let interleaving = Interleaving::new(self.architecture(), storage);
        let stride = interleaving.stride(page_bytes);
        // A stride below the page size has wrapped; no bank could hold such a page.
        let stride = if stride < page_bytes { u64::from(page_bytes) } else { u64::from(stride) };
        let bank_bytes = u64::from(interleaving.pages_per_bank(pages)) * stride;
        let address = match storage {
            Storage::Dram => self.take_dram(bank_bytes)?,
            Storage::L1 => self.take_l1(bank_bytes)?,
        };
        Ok(Buffer::new(interleaving, address, page_bytes, pages))
    }

    /// Drops all buffers; what they held stays until it is overwritten. Buffers and tensors made
    /// before must not be used any more: others may take their place.
    pub fn reset(&mut self) {
        self.dram_next = DRAM_BASE;
        self.l1_lowest = self.architecture().l1_bytes;
    }

    fn take_dram(&mut self, bank_bytes: u64) -> Result<u64, AllocationError> {
        let arch = self.architecture();
        // Kernels hold addresses in 32 bits.
        let end_max = arch.dram_bank_bytes.min(1 << 32);
        let free = end_max.saturating_sub(self.dram_next);
        if bank_bytes > free {
            let banks = u32::from(arch.dram_banks);
            return Err(AllocationError::Full { storage: Storage::Dram, banks, bank_bytes, free });
        }
        let address = self.dram_next;
        let end = address + bank_bytes;
        self.dram_next = end.next_multiple_of(DRAM_BUFFER_ALIGNMENT);
        self.machine.dram_mut().grow(end as usize);
        Ok(address)
    }

    fn take_l1(&mut self, bank_bytes: u64) -> Result<u64, AllocationError> {
        let arch = self.architecture();
        // Congruent with every DRAM address that a kernel may read from.
        let alignment = u64::from(arch.l1_alignment.max(arch.dram_read_alignment));
        let (base, lowest) = (u64::from(arch.l1_base), u64::from(self.l1_lowest));
        let address = lowest.checked_sub(bank_bytes).map(|at| at - at % alignment);
        match address.filter(|&at| at >= base) {
            Some(address) => {
                self.l1_lowest = address as u32;
                Ok(address)
            }
            None => {
                let (storage, banks) = (Storage::L1, arch.cores() as u32);
                let free = lowest.saturating_sub(base) / alignment * alignment;
                Err(AllocationError::Full { storage, banks, bank_bytes, free })
            }
        }
    }
}

/// Why a buffer cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocationError {
    /// A buffer of no bytes was asked for.
    Empty {
        /// The page size asked for.
        page_bytes: u32,
        /// The number of pages asked for.
        pages: u32,
    },
    /// The memory has no such room left.
    Full {
        /// The memory.
        storage: Storage,
        /// Over how many banks the buffer would be spread.
        banks: u32,
        /// Bytes needed in each bank.
        bank_bytes: u64,
        /// Bytes free in each bank.
        free: u64,
    },
}

impl fmt::Display for AllocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocationError::Empty { page_bytes, pages } => write!(
                f,
                "a buffer of {pages} pages of {page_bytes} bytes is empty; both must be at least 1"
            ),
            AllocationError::Full { storage, banks, bank_bytes, free } => {
                let bank = match storage {
                    Storage::Dram => "banks",
                    Storage::L1 => "cores",
                };
                write!(
                    f,
                    "the buffer needs {bank_bytes} bytes of {storage} in each of {banks} {bank}, \
                     and {free} are free; use fewer or smaller pages, or reset the device"
                )
            }
        }
    }
}

impl std::error::Error for AllocationError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dram_grows_upwards_and_l1_downwards() {
        let mut device = Device::n150();
        let first = device.allocate(Storage::Dram, 2048, 13).unwrap();
        let second = device.allocate(Storage::Dram, 33, 1).unwrap();
        assert_eq!((first.address, second.address), (1024, 1024 + 2 * 2048));
        assert_eq!(device.dram_next(), 1024 + 2 * 2048 + 1024);
        assert_eq!(device.machine_mut().dram_mut().bank_bytes(), 1024 + 2 * 2048 + 64);
        let top = device.architecture().l1_bytes;
        let third = device.allocate(Storage::L1, 2048, 65).unwrap();
        assert_eq!(third.address, u64::from(top) - 2 * 2048);
        let fourth = device.allocate(Storage::L1, 17, 1).unwrap();
        assert_eq!(fourth.address, u64::from(top) - 2 * 2048 - 32);
        assert_eq!(u64::from(device.l1_lowest()), fourth.address);
    }

    #[test]
    fn reset_drops_all_buffers() {
        let mut device = Device::n150();
        device.allocate(Storage::Dram, 2048, 100).unwrap();
        device.allocate(Storage::L1, 2048, 100).unwrap();
        device.reset();
        assert_eq!(device.l1_lowest(), device.architecture().l1_bytes);
        assert_eq!(device.allocate(Storage::Dram, 2048, 1).unwrap().address, 1024);
    }

    #[test]
    fn a_full_memory_is_an_error_that_says_how_much_is_free() {
        let mut device = Device::n150();
        let all = device.architecture().l1_bytes - device.architecture().l1_base;
        let error = device.allocate(Storage::L1, all + 1, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the buffer needs 1393488 bytes of L1 in each of 64 cores, and 1393472 are free; \
             use fewer or smaller pages, or reset the device"
        );
        assert!(device.allocate(Storage::L1, all, 64).is_ok());
        let error = device.allocate(Storage::L1, 1, 1).unwrap_err();
        let (storage, banks) = (Storage::L1, 64);
        assert_eq!(error, AllocationError::Full { storage, banks, bank_bytes: 16, free: 0 });
        for (page_bytes, pages) in [(u32::MAX, 1), (u32::MAX, u32::MAX), (1 << 30, 1)] {
            let error = device.allocate(Storage::Dram, page_bytes, pages).unwrap_err();
            assert!(matches!(error, AllocationError::Full { storage: Storage::Dram, .. }));
        }
    }

    #[test]
    fn an_empty_buffer_is_refused() {
        let mut device = Device::n150();
        let error = device.allocate(Storage::Dram, 2048, 0).unwrap_err();
        assert_eq!(error, AllocationError::Empty { page_bytes: 2048, pages: 0 });
        assert!(device.allocate(Storage::L1, 0, 1).is_err());
    }
}
