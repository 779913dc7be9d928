//! Which bank holds a page: the one rule that the host and every kernel must agree on.
//!
//! Knows addresses only. What lies at them, and whether anything was allocated there, is `buffer`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tilewright_machine::{Architecture, CoreCoord, DramAddress, L1Address, NocAddress};

/// The memory that a buffer's pages are spread over.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Storage {
    /// The banks of DRAM.
    Dram,
    /// The L1 of every core of the grid, in row order.
    L1,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Storage::Dram => "DRAM",
            Storage::L1 => "L1",
        })
    }
}

/// How pages go round the banks of one memory of one chip: page 0 to bank 0, page 1 to bank 1,
/// and from the last bank back to the first, one stride further on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaving {
    storage: Storage,
    banks: u32,
    columns: u32,
    alignment: u32,
}

impl Interleaving {
    /// The interleaving of a chip's memory.
    pub fn new(arch: &Architecture, storage: Storage) -> Interleaving {
        let (banks, alignment) = match storage {
            Storage::Dram => (u32::from(arch.dram_banks), arch.dram_read_alignment),
            Storage::L1 => (arch.cores() as u32, arch.l1_alignment),
        };
        assert!(banks > 0 && alignment.is_power_of_two(), "the table of {} is wrong", arch.name);
        Interleaving { storage, banks, columns: u32::from(arch.grid_columns), alignment }
    }

    /// The memory.
    pub fn storage(self) -> Storage {
        self.storage
    }

    /// Over how many banks, or cores, pages are spread.
    pub fn banks(self) -> u32 {
        self.banks
    }

    /// Bytes from one page to the next in the same bank: the page size, rounded up so that every
    /// page can be read by a kernel. Wraps as the kernel's own 32-bit arithmetic does.
    #[inline]
    pub fn stride(self, page_bytes: u32) -> u32 {
        page_bytes.wrapping_add(self.alignment - 1) & !(self.alignment - 1)
    }

    /// Pages in the fullest bank of a buffer of `pages` pages.
    pub fn pages_per_bank(self, pages: u32) -> u32 {
        pages.div_ceil(self.banks)
    }

    /// The bank that a byte lies in, and where in it; none in another memory.
    pub fn bank_of(self, at: NocAddress) -> Option<(u32, u64)> {
        match (self.storage, at) {
            (Storage::Dram, NocAddress::Dram(at)) => Some((at.bank.into(), at.offset)),
            (Storage::L1, NocAddress::L1 { core, address }) => {
                let bank = u32::from(core.y) * self.columns + u32::from(core.x);
                Some((bank, address.0.into()))
            }
            (Storage::Dram, NocAddress::L1 { .. }) | (Storage::L1, NocAddress::Dram(_)) => None,
        }
    }

    /// Where page `index` begins. Addresses are 32 bits wide and wrap, as in a kernel.
    #[inline]
    pub fn place(self, base: u32, stride: u32, index: u32) -> NocAddress {
        let bank = index % self.banks;
        let offset = base.wrapping_add((index / self.banks).wrapping_mul(stride));
        match self.storage {
            Storage::Dram => {
                NocAddress::Dram(DramAddress { bank: bank as u8, offset: u64::from(offset) })
            }
            Storage::L1 => {
                let (x, y) = (bank % self.columns, bank / self.columns);
                let core = CoreCoord::new(x as u8, y as u8);
                NocAddress::L1 { core, address: L1Address(offset) }
            }
        }
    }
}
