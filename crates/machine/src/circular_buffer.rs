//! Rings of pages in L1: reserve, push, wait, pop.
//!
//! Only the two counters are shared; each processor has pointers of its own, as on silicon.
//! Knows positions and counts. Does not know who is blocked: that is `scheduler`.

use tilewright_tile::DataFormat;

use crate::processor::Processor;
use crate::units::{CbId, L1Address};

/// What the host sets before a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbConfig {
    /// Its index.
    pub id: CbId,
    /// The first byte of the ring.
    pub base: L1Address,
    /// Bytes of one page.
    pub page_bytes: u32,
    /// Pages of the ring.
    pub pages: u32,
    /// The format of the values in it.
    pub format: DataFormat,
}

impl CbConfig {
    /// Bytes of the ring.
    pub fn bytes(&self) -> u32 {
        self.page_bytes * self.pages
    }

    /// The byte after the ring.
    pub fn limit(&self) -> L1Address {
        self.base + self.bytes()
    }
}

/// A buffer's counts as data, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbLedger {
    /// Its configuration.
    pub config: CbConfig,
    /// Pages pushed since launch.
    pub pushed: u64,
    /// Pages popped since launch.
    pub popped: u64,
    /// Pages pushed by each processor since launch, in the order of `Processor::ALL`.
    pub pushed_by: [u64; 5],
    /// Pages popped by each processor since launch.
    pub popped_by: [u64; 5],
    /// Pages that a consumer can see.
    pub visible: u32,
    /// Pages that a producer can reserve.
    pub free: u32,
}

/// One of the two pointers that a processor keeps into a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RingPointer {
    /// Where it reads next.
    Read,
    /// Where it writes next.
    Write,
}

#[derive(Clone, Copy)]
struct Pointers {
    read: L1Address,
    write: L1Address,
    /// Pages packed since the last push; `pack_tile` without an index appends.
    packed: u32,
}

/// One ring of a core.
pub struct CircularBuffer {
    config: CbConfig,
    /// The shared counters are 16 bits wide and wrap.
    received: u16,
    acknowledged: u16,
    pointers: [Pointers; 5],
    pushed_by: [u64; 5],
    popped_by: [u64; 5],
}

impl CircularBuffer {
    /// The ring as a launch leaves it.
    pub fn new(config: CbConfig) -> CircularBuffer {
        let start = Pointers { read: config.base, write: config.base, packed: 0 };
        CircularBuffer {
            config,
            received: 0,
            acknowledged: 0,
            pointers: [start; 5],
            pushed_by: [0; 5],
            popped_by: [0; 5],
        }
    }

    /// Its configuration.
    pub fn config(&self) -> &CbConfig {
        &self.config
    }

    /// Pages a consumer can see.
    pub fn visible(&self) -> u32 {
        u32::from(self.received.wrapping_sub(self.acknowledged))
    }

    /// Pages a producer can reserve. Pushing more than was free makes this wrap, as on silicon.
    pub fn free(&self) -> u32 {
        self.config.pages.wrapping_sub(self.visible()) & 0xffff
    }

    /// Counts and configuration for a report.
    pub fn ledger(&self) -> CbLedger {
        CbLedger {
            config: self.config,
            pushed: self.pushed_by.iter().sum(),
            popped: self.popped_by.iter().sum(),
            pushed_by: self.pushed_by,
            popped_by: self.popped_by,
            visible: self.visible(),
            free: self.free(),
        }
    }

    /// Where this processor writes next.
    pub fn write_pointer(&self, processor: Processor) -> L1Address {
        self.pointers[processor.index()].write
    }

    /// Where this processor reads next.
    pub fn read_pointer(&self, processor: Processor) -> L1Address {
        self.pointers[processor.index()].read
    }

    /// Sets one of this processor's pointers, as kernels do that write the firmware's ring
    /// interface by hand. The counters stay.
    pub fn set_pointer(&mut self, processor: Processor, pointer: RingPointer, to: L1Address) {
        let pointers = &mut self.pointers[processor.index()];
        match pointer {
            RingPointer::Read => pointers.read = to,
            RingPointer::Write => pointers.write = to,
        }
    }

    /// Pages packed since the last push.
    pub fn packed_pages(&self) -> u32 {
        self.pointers[Processor::Pack.index()].packed
    }

    /// Sets how many pages count as packed since the last push.
    pub fn set_packed_pages(&mut self, pages: u32) {
        self.pointers[Processor::Pack.index()].packed = pages;
    }

    /// The page after those already packed since the last push, and counts it as packed.
    pub fn next_packed_page(&mut self) -> u32 {
        let pointers = &mut self.pointers[Processor::Pack.index()];
        pointers.packed += 1;
        pointers.packed - 1
    }

    /// Gives pages to the consumer.
    pub fn push_back(&mut self, processor: Processor, pages: u32) {
        self.received = self.received.wrapping_add(pages as u16);
        self.pushed_by[processor.index()] += u64::from(pages);
        let moved = self.moved(processor, self.write_pointer(processor), pages);
        let pointers = &mut self.pointers[processor.index()];
        pointers.write = moved;
        pointers.packed = 0;
    }

    /// Gives pages back to the producer.
    pub fn pop_front(&mut self, processor: Processor, pages: u32) {
        self.acknowledged = self.acknowledged.wrapping_add(pages as u16);
        self.popped_by[processor.index()] += u64::from(pages);
        self.pointers[processor.index()].read =
            self.moved(processor, self.read_pointer(processor), pages);
    }

    /// Data movement wraps only when a pointer lands on the end, compute also when it passes it
    /// (dataflow_api.h `cb_push_back`; llk_io `llk_push_tiles`).
    fn moved(&self, processor: Processor, pointer: L1Address, pages: u32) -> L1Address {
        let next = pointer + pages.wrapping_mul(self.config.page_bytes);
        let wraps = match processor {
            Processor::Reader | Processor::Writer => next == self.config.limit(),
            Processor::Unpack | Processor::Math | Processor::Pack => next >= self.config.limit(),
        };
        if wraps { L1Address(next.0 - self.config.bytes()) } else { next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(pages: u32) -> CircularBuffer {
        CircularBuffer::new(CbConfig {
            id: CbId(0),
            base: L1Address(1000),
            page_bytes: 100,
            pages,
            format: DataFormat::Bfloat16,
        })
    }

    #[test]
    fn pointers_belong_to_processors_and_counters_to_all() {
        let mut cb = ring(4);
        cb.push_back(Processor::Reader, 3);
        assert_eq!((cb.visible(), cb.free()), (3, 1));
        assert_eq!(cb.write_pointer(Processor::Reader), L1Address(1300));
        assert_eq!(cb.write_pointer(Processor::Writer), L1Address(1000));
        cb.pop_front(Processor::Unpack, 2);
        assert_eq!((cb.visible(), cb.free()), (1, 3));
        assert_eq!(cb.read_pointer(Processor::Unpack), L1Address(1200));
    }

    #[test]
    fn pages_that_straddle_the_end_run_over_on_data_movement_only() {
        let mut cb = ring(4);
        cb.push_back(Processor::Reader, 3);
        cb.push_back(Processor::Reader, 3);
        assert_eq!(cb.write_pointer(Processor::Reader), L1Address(1600));
        cb.push_back(Processor::Pack, 3);
        cb.push_back(Processor::Pack, 3);
        assert_eq!(cb.write_pointer(Processor::Pack), L1Address(1200));
    }

    #[test]
    fn counters_wrap_at_sixteen_bits() {
        let mut cb = ring(4);
        for _ in 0..40_000 {
            cb.push_back(Processor::Reader, 2);
            cb.pop_front(Processor::Unpack, 2);
        }
        assert_eq!((cb.visible(), cb.free()), (0, 4));
        assert_eq!(cb.ledger().pushed, 80_000);
    }
}
