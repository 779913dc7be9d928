//! The host's handle on one simulated chip, and the allocation of its memories.
//!
//! Buffers are given out from below in DRAM and from above in L1, at the same offset in every bank,
//! and stay until they are freed. Circular buffers of programs use what is left of L1, from below.

use std::fmt;

use tilewright_machine::{Architecture, Machine, UnknownDevice};

use crate::allocator::{Allocator, Direction};
use crate::buffer::Buffer;
use crate::interleaving::{Interleaving, Storage};
use crate::sharding::ShardedPages;

/// The first offset in a bank that is given to a buffer, so that address 0 is never a tensor.
const DRAM_BASE: u64 = 1024;
/// Buffers begin at multiples of this in DRAM.
const DRAM_BUFFER_ALIGNMENT: u64 = 1024;

/// One chip with its memories' free space.
pub struct Device {
    machine: Machine,
    dram: Allocator,
    l1: Allocator,
}

impl Device {
    /// A chip after boot, with no buffers.
    pub fn new(arch: Architecture) -> Device {
        let (dram, l1) = allocators(&arch);
        Device { machine: Machine::new(arch), dram, l1 }
    }

    /// The product of a name, one of [`Architecture::NAMES`].
    pub fn named(name: &str) -> Result<Device, UnknownDevice> {
        Architecture::named(name).map(Device::new)
    }

    /// Wormhole on an n150 board.
    pub fn n150() -> Device {
        Device::new(Architecture::wormhole_n150())
    }

    /// Another chip after boot, with the same buffers and their contents.
    pub fn copy_of_buffers(&self) -> Device {
        let (machine, dram) = (self.machine.copy_of_memories(), self.dram.clone());
        Device { machine, dram, l1: self.l1.clone() }
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
        self.l1.lowest() as u32
    }

    /// The first offset above all buffers, in every bank of DRAM alike.
    pub fn dram_next(&self) -> u64 {
        self.dram.next()
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
        self.put(Buffer::new(interleaving, 0, page_bytes, pages))
    }

    /// Gives room for the pages of a sharded tensor.
    pub(crate) fn allocate_shards(
        &mut self,
        storage: Storage,
        shards: ShardedPages,
    ) -> Result<Buffer, AllocationError> {
        let interleaving = Interleaving::new(self.architecture(), storage);
        self.put(Buffer::sharded(interleaving, 0, shards))
    }

    /// Finds a place for a buffer.
    fn put(&mut self, buffer: Buffer) -> Result<Buffer, AllocationError> {
        let (storage, bank_bytes) = (buffer.storage, buffer.bank_bytes());
        let memory = match storage {
            Storage::Dram => &mut self.dram,
            Storage::L1 => &mut self.l1,
        };
        let full = |free| {
            let banks = buffer.interleaving().banks();
            AllocationError::Full { storage, banks, bank_bytes, free }
        };
        let address = memory.take(bank_bytes).map_err(full)?;
        self.grow(storage, address + bank_bytes);
        Ok(buffer.moved(address))
    }

    /// Takes the room of a buffer that lies at its address already, as in another device.
    pub fn claim(&mut self, buffer: &Buffer) -> Result<(), AllocationError> {
        let (storage, at, bytes) = (buffer.storage, buffer.address, buffer.bank_bytes());
        let memory = match storage {
            Storage::Dram => &mut self.dram,
            Storage::L1 => &mut self.l1,
        };
        if !memory.take_at(at, bytes) {
            return Err(AllocationError::Taken { storage, at, bytes });
        }
        self.grow(storage, at + bytes);
        Ok(())
    }

    /// Makes a bank large enough, as far as anything lies in it.
    fn grow(&mut self, storage: Storage, end: u64) {
        match storage {
            Storage::Dram => self.machine.dram_mut().grow(end as usize),
            Storage::L1 => {}
        }
    }

    /// Frees a buffer; what it held stays until it is overwritten. It must not be used any more:
    /// others may take its place.
    pub fn free(&mut self, buffer: &Buffer) -> Result<(), AllocationError> {
        let (storage, at) = (buffer.storage, buffer.address);
        let is_taken = match storage {
            Storage::Dram => self.dram.give_back(at),
            Storage::L1 => self.l1.give_back(at),
        };
        if is_taken { Ok(()) } else { Err(AllocationError::NotTaken { storage, at }) }
    }

    /// Drops all buffers; what they held stays until it is overwritten. Buffers and tensors made
    /// before must not be used any more: others may take their place.
    pub fn reset(&mut self) {
        (self.dram, self.l1) = allocators(self.architecture());
    }
}

/// The free memory of a chip without buffers: DRAM and L1.
fn allocators(arch: &Architecture) -> (Allocator, Allocator) {
    // Kernels hold addresses in 32 bits.
    let dram = DRAM_BASE..arch.dram_bank_bytes.min(1 << 32);
    // Congruent with every DRAM address that a kernel may read from.
    let alignment = u64::from(arch.l1_alignment.max(arch.dram_read_alignment));
    let l1 = u64::from(arch.l1_base)..u64::from(arch.l1_bytes);
    (
        Allocator::new(dram, DRAM_BUFFER_ALIGNMENT, Direction::BottomUp),
        Allocator::new(l1, alignment, Direction::TopDown),
    )
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
        /// Bytes of the largest free span of each bank.
        free: u64,
    },
    /// The memory at an address is another buffer's.
    Taken {
        /// The memory.
        storage: Storage,
        /// The address.
        at: u64,
        /// Bytes that were asked for there.
        bytes: u64,
    },
    /// No buffer begins at the address.
    NotTaken {
        /// The memory.
        storage: Storage,
        /// The address.
        at: u64,
    },
}

impl fmt::Display for AllocationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocationError::Empty { page_bytes, pages } => write!(
                f,
                "a buffer of {pages} pages of {page_bytes} bytes is empty; both must be at least 1"
            ),
            AllocationError::Taken { storage, at, bytes } => {
                write!(f, "{bytes} bytes of {storage} at {at} are another buffer's already")
            }
            AllocationError::NotTaken { storage, at } => write!(
                f,
                "no buffer begins at {at} of {storage}; it has been freed already, or is \
                 another device's"
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
    fn freed_memory_is_used_again() {
        let mut device = Device::n150();
        let [first, second] = [0, 1].map(|_| device.allocate(Storage::L1, 2048, 64).unwrap());
        device.free(&first).unwrap();
        assert_eq!(device.allocate(Storage::L1, 1024, 64).unwrap().address, first.address + 1024);
        device.free(&second).unwrap();
        let (storage, at) = (Storage::L1, second.address);
        assert_eq!(device.free(&second), Err(AllocationError::NotTaken { storage, at }));
        assert_eq!(u64::from(device.l1_lowest()), first.address + 1024);
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
