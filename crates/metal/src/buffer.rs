//! A span of pages in a device's memory, interleaved over its banks or in shards on some of them.
//!
//! Knows bytes and pages. What they mean is `tensor`; who gets which address is `device`.

use std::fmt;

use tilewright_machine::{CoreCoord, L1Address, Machine, NocAddress};

use crate::device::Device;
use crate::interleaving::{Interleaving, Storage};
use crate::sharding::{ShardedPages, Sharding};

/// Pages in DRAM or L1. A plain value: it does not free anything, and `Device::reset` makes it
/// stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The memory it is in.
    pub storage: Storage,
    /// Where it begins, in every bank alike. Fits in 32 bits, as kernels need.
    pub address: u64,
    /// Bytes of a page that mean something.
    pub page_bytes: u32,
    /// How many pages it has.
    pub pages: u32,
    /// Bytes from one page to the next in the same bank.
    pub page_stride: u32,
    interleaving: Interleaving,
    sharding: Option<Sharding>,
}

impl Buffer {
    /// Describes pages at `address`, which `Device::allocate` has found to be free.
    pub(crate) fn new(
        interleaving: Interleaving,
        address: u64,
        page_bytes: u32,
        pages: u32,
    ) -> Buffer {
        assert!(u32::try_from(address).is_ok(), "kernels hold addresses in 32 bits");
        let (storage, page_stride) = (interleaving.storage(), interleaving.stride(page_bytes));
        let sharding = None;
        Buffer { storage, address, page_bytes, pages, page_stride, interleaving, sharding }
    }

    /// Describes the pages of a sharded tensor.
    pub(crate) fn sharded(
        interleaving: Interleaving,
        address: u64,
        shards: ShardedPages,
    ) -> Buffer {
        let ShardedPages { page_bytes, pages, sharding } = shards;
        let buffer = Buffer::new(interleaving, address, page_bytes, pages);
        Buffer { sharding: Some(sharding), ..buffer }
    }

    /// The same pages elsewhere.
    pub(crate) fn moved(self, address: u64) -> Buffer {
        assert!(u32::try_from(address).is_ok(), "kernels hold addresses in 32 bits");
        Buffer { address, ..self }
    }

    /// Its shards, if it is not interleaved.
    pub fn sharding(&self) -> Option<Sharding> {
        self.sharding
    }

    /// Bytes that it takes in every bank.
    pub fn bank_bytes(&self) -> u64 {
        let pages = match self.sharding {
            Some(sharding) => sharding.pages_per_bank(),
            None => self.interleaving.pages_per_bank(self.pages),
        };
        // A stride below the page size has wrapped; no bank could hold such a page.
        u64::from(pages) * u64::from(self.page_stride.max(self.page_bytes))
    }

    /// The byte after the last one in its banks.
    pub fn bank_end(&self) -> u64 {
        self.address + self.bank_bytes()
    }

    /// Bytes of its shards in a core's L1, from `address` on; none if it has none there.
    pub fn shard_bytes(&self, core: CoreCoord) -> Option<u64> {
        let sharding = self.sharding?;
        let at = NocAddress::L1 { core, address: L1Address(0) };
        let pages = sharding.pages_on(sharding.bank_number(at)?);
        (pages > 0).then(|| u64::from(pages) * u64::from(self.page_stride))
    }

    /// The address as a kernel's runtime argument.
    pub fn address_word(&self) -> u32 {
        self.address as u32
    }

    /// How its pages are spread over banks.
    pub fn interleaving(&self) -> Interleaving {
        self.interleaving
    }

    /// Bytes of all pages, without what lies between them.
    pub fn bytes(&self) -> usize {
        self.pages as usize * self.page_bytes as usize
    }

    /// Where a page begins.
    pub fn page(&self, index: u32) -> Result<NocAddress, BufferError> {
        if index >= self.pages {
            return Err(BufferError::NoSuchPage { index, pages: self.pages });
        }
        Ok(self.place(index))
    }

    /// Where a page begins, whether the buffer has it or not.
    fn place(&self, index: u32) -> NocAddress {
        let (base, stride) = (self.address_word(), self.page_stride);
        match self.sharding {
            Some(sharding) => sharding.place(base, stride, index),
            None => self.interleaving.place(base, stride, index),
        }
    }

    /// The page that a byte lies in, and how far inside. Banks are filled up to the same height: a
    /// page from `pages` on is one that an interleaved buffer does not have.
    pub fn page_at(&self, at: NocAddress) -> Option<(u64, u64)> {
        let (bank, offset) = self.interleaving.bank_of(at)?;
        let inside = offset.checked_sub(self.address)?;
        let stride = u64::from(self.page_stride.max(1));
        let lap = inside / stride;
        if let Some(sharding) = self.sharding {
            let bank = sharding.bank_number(at)?;
            let page = sharding.page_in(bank, u32::try_from(lap).ok()?)?;
            return Some((page.into(), inside % stride));
        }
        let laps = u64::from(self.interleaving.pages_per_bank(self.pages));
        let page = lap * u64::from(self.interleaving.banks()) + u64::from(bank);
        (lap < laps).then_some((page, inside % stride))
    }

    /// Bytes from a byte of a page up to where what follows is not the buffer's: the end of the
    /// page, or of the bank's shards, whose pages follow each other.
    pub fn room_at(&self, at: NocAddress, inside: u64) -> u64 {
        let whole = u64::from(self.page_stride);
        let shards = self.sharding.and_then(|it| Some(it.pages_on(it.bank_number(at)?)));
        match (shards, self.interleaving.bank_of(at)) {
            (Some(pages), Some((_, offset))) => {
                (self.address + u64::from(pages) * whole).saturating_sub(offset)
            }
            (None, _) | (_, None) => whole.saturating_sub(inside),
        }
    }

    /// Whether an address generator that computes a place in this memory from `base` means this
    /// buffer: `base` is a byte of its first page.
    pub fn begins_at(&self, at: NocAddress, base: u32) -> bool {
        let first = self.address..self.address + u64::from(self.page_stride);
        first.contains(&u64::from(base)) && self.interleaving.bank_of(at).is_some()
    }

    /// Copies one page from the device.
    pub fn read_page(&self, device: &mut Device, index: u32) -> Result<Vec<u8>, BufferError> {
        let mut bytes = vec![0; self.page_bytes as usize];
        self.copy_page(device.machine_mut(), index, &mut bytes)?;
        Ok(bytes)
    }

    /// Replaces one page.
    pub fn write_page(
        &self,
        device: &mut Device,
        index: u32,
        bytes: &[u8],
    ) -> Result<(), BufferError> {
        check_length(bytes.len(), self.page_bytes as usize)?;
        self.replace_page(device.machine_mut(), index, bytes)
    }

    /// Copies all pages from the device, one after another.
    pub fn read(&self, device: &mut Device) -> Result<Vec<u8>, BufferError> {
        let mut bytes = vec![0; self.bytes()];
        let pages = bytes.chunks_exact_mut(self.page_bytes.max(1) as usize);
        for (index, page) in (0..self.pages).zip(pages) {
            self.copy_page(device.machine_mut(), index, page)?;
        }
        Ok(bytes)
    }

    /// Replaces all pages by `bytes`, which has them one after another.
    pub fn write(&self, device: &mut Device, bytes: &[u8]) -> Result<(), BufferError> {
        check_length(bytes.len(), self.bytes())?;
        let pages = bytes.chunks_exact(self.page_bytes as usize);
        for (index, page) in (0..self.pages).zip(pages) {
            self.replace_page(device.machine_mut(), index, page)?;
        }
        Ok(())
    }

    /// Sets every byte of every page.
    pub fn fill(&self, device: &mut Device, byte: u8) -> Result<(), BufferError> {
        let page = vec![byte; self.page_bytes as usize];
        (0..self.pages).try_for_each(|index| self.replace_page(device.machine_mut(), index, &page))
    }

    fn copy_page(
        &self,
        machine: &mut Machine,
        index: u32,
        to: &mut [u8],
    ) -> Result<(), BufferError> {
        let is_copied = match self.page(index)? {
            NocAddress::Dram(at) => machine.dram_mut().read(at, to),
            NocAddress::L1 { core, address } => {
                let page = machine.core(core).and_then(|core| core.l1().get(address, to.len()));
                page.map(|page| to.copy_from_slice(page)).is_some()
            }
        };
        self.check_device(index, is_copied)
    }

    fn replace_page(
        &self,
        machine: &mut Machine,
        index: u32,
        bytes: &[u8],
    ) -> Result<(), BufferError> {
        let is_replaced = match self.page(index)? {
            NocAddress::Dram(at) => machine.dram_mut().write(at, bytes),
            NocAddress::L1 { core, address } => {
                let core = machine.core_mut(core);
                let page = core.and_then(|core| core.l1_mut().get_mut(address, bytes.len()));
                page.map(|page| page.copy_from_slice(bytes)).is_some()
            }
        };
        self.check_device(index, is_replaced)
    }

    fn check_device(&self, index: u32, has_page: bool) -> Result<(), BufferError> {
        match has_page {
            true => Ok(()),
            false => Err(BufferError::OtherDevice { index, address: self.address }),
        }
    }
}

fn check_length(given: usize, expected: usize) -> Result<(), BufferError> {
    if given == expected { Ok(()) } else { Err(BufferError::WrongLength { given, expected }) }
}

/// Why the host cannot reach a buffer's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferError {
    /// The buffer has fewer pages.
    NoSuchPage {
        /// The page asked for.
        index: u32,
        /// How many there are.
        pages: u32,
    },
    /// The bytes given are not as many as the page, or the buffer, has.
    WrongLength {
        /// How many were given.
        given: usize,
        /// How many would be right.
        expected: usize,
    },
    /// The page lies outside the memory of this device, so the buffer is another's.
    OtherDevice {
        /// The page.
        index: u32,
        /// Where the buffer begins.
        address: u64,
    },
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BufferError::NoSuchPage { index, pages } => {
                write!(f, "page {index} of a buffer of {pages} pages; the last is {}", pages - 1)
            }
            BufferError::WrongLength { given, expected } => {
                write!(f, "{given} bytes given where {expected} are needed")
            }
            BufferError::OtherDevice { index, address } => write!(
                f,
                "page {index} of the buffer at {address} lies outside this device's memory; \
                 use the device that allocated it"
            ),
        }
    }
}

impl std::error::Error for BufferError {}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_machine::DramAddress;

    #[test]
    fn dram_pages_go_round_the_banks() {
        let mut device = Device::n150();
        device.allocate(Storage::Dram, 2048, 1).unwrap();
        let buffer = device.allocate(Storage::Dram, 33, 25).unwrap();
        assert_eq!((buffer.address, buffer.page_stride), (3072, 64));
        let place = |bank, offset| Ok(NocAddress::Dram(DramAddress { bank, offset }));
        assert_eq!(buffer.page(0), place(0, 3072));
        assert_eq!(buffer.page(11), place(11, 3072));
        assert_eq!(buffer.page(12), place(0, 3072 + 64));
        assert_eq!(buffer.page(24), place(0, 3072 + 128));
        assert_eq!(buffer.page(25), Err(BufferError::NoSuchPage { index: 25, pages: 25 }));
    }

    #[test]
    fn l1_pages_go_round_the_cores_in_row_order() {
        let mut device = Device::n150();
        let buffer = device.allocate(Storage::L1, 17, 130).unwrap();
        assert_eq!(buffer.page_stride, 32);
        let place = |x, y, laps: u32| {
            let address = L1Address(buffer.address as u32 + laps * 32);
            Ok(NocAddress::L1 { core: CoreCoord::new(x, y), address })
        };
        assert_eq!(buffer.page(0), place(0, 0, 0));
        assert_eq!(buffer.page(7), place(7, 0, 0));
        assert_eq!(buffer.page(8), place(0, 1, 0));
        assert_eq!(buffer.page(63), place(7, 7, 0));
        assert_eq!(buffer.page(129), place(1, 0, 2));
    }

    #[test]
    fn pages_are_found_by_their_bytes() {
        for storage in [Storage::Dram, Storage::L1] {
            let mut device = Device::n150();
            let other = device.allocate(storage, 48, 30).unwrap();
            let buffer = device.allocate(storage, 33, 200).unwrap();
            for page in 0..buffer.pages {
                let at = buffer.page(page).unwrap();
                assert_eq!(buffer.page_at(at), Some((page.into(), 0)));
                assert_eq!(buffer.page_at(at.offset_by(47)), Some((page.into(), 47)));
                assert_eq!(other.page_at(at), None);
            }
            // The banks beyond the last page are the buffer's, and hold nothing of it.
            let beyond = buffer.interleaving.place(buffer.address_word(), buffer.page_stride, 200);
            assert_eq!(buffer.page_at(beyond), Some((200, 0)));
            assert!(buffer.begins_at(beyond, buffer.address_word() + 32));
            assert!(!other.begins_at(beyond, buffer.address_word()));
        }
    }

    #[test]
    fn what_is_written_is_where_the_pages_are() {
        for storage in [Storage::Dram, Storage::L1] {
            let mut device = Device::n150();
            let buffer = device.allocate(storage, 3, 200).unwrap();
            let bytes: Vec<u8> = (0..600u32).map(|value| (value % 251) as u8).collect();
            buffer.write(&mut device, &bytes).unwrap();
            assert_eq!(buffer.read(&mut device).unwrap(), bytes);
            assert_eq!(buffer.read_page(&mut device, 199).unwrap(), bytes[597..]);
            buffer.write_page(&mut device, 0, &[7, 8, 9]).unwrap();
            let at = buffer.page(0).unwrap();
            let seen = match at {
                NocAddress::Dram(at) => {
                    let mut seen = vec![1; 4];
                    assert!(device.machine_mut().dram_mut().read(at, &mut seen));
                    seen
                }
                NocAddress::L1 { core, address } => {
                    device.machine().core(core).unwrap().l1().get(address, 4).unwrap().to_vec()
                }
            };
            assert_eq!(seen, [7, 8, 9, 0]);
            buffer.fill(&mut device, 5).unwrap();
            assert!(buffer.read(&mut device).unwrap().iter().all(|&byte| byte == 5));
        }
    }

    #[test]
    fn wrong_lengths_and_devices_are_errors() {
        let mut device = Device::n150();
        let buffer = device.allocate(Storage::Dram, 64, 2).unwrap();
        let error = buffer.write(&mut device, &[0; 127]).unwrap_err();
        assert_eq!(error.to_string(), "127 bytes given where 128 are needed");
        let error = buffer.write_page(&mut device, 2, &[0; 64]).unwrap_err();
        assert_eq!(error.to_string(), "page 2 of a buffer of 2 pages; the last is 1");
        let error = buffer.read(&mut Device::n150()).unwrap_err();
        assert_eq!(error, BufferError::OtherDevice { index: 0, address: 1024 });
    }
}
