//! The calls of data-movement kernels: rings, transfers, barriers, semaphores, direct L1.

use tilewright_machine::{
    Barrier, CbId, Channel, Context, CoreCoord, CoreRange, EventKind, L1Address, NocAddress, NocId,
    SemaphoreTest, Site, StopReason, Target,
};
use tilewright_tile::DataFormat;

use crate::formats::FormatTable;
use crate::kernel::{ArgumentKind, Arguments};
use crate::tensor_accessor::{TensorAccessor, TensorAccessorArgs};

/// A data-movement kernel's view of its core.
pub struct DataMovement<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) arguments: &'a Arguments,
    pub(crate) formats: &'a FormatTable,
    pub(crate) noc: NocId,
}

impl<'a> DataMovement<'a> {
    pub(crate) fn new(
        context: &'a Context<'a>,
        arguments: &'a Arguments,
        formats: &'a FormatTable,
        noc: NocId,
    ) -> DataMovement<'a> {
        DataMovement { context, arguments, formats, noc }
    }

    fn channel(&self, transaction: u8) -> Channel {
        Channel { noc: self.noc, transaction }
    }

    /// The network this kernel uses.
    pub fn noc(&self) -> NocId {
        self.noc
    }

    /// Waits until `pages` pages are free.
    #[inline]
    #[track_caller]
    pub fn cb_reserve_back(&self, cb: u8, pages: u32) {
        self.context.reserve_back(Site::here(), CbId(cb), pages);
    }

    /// Gives `pages` pages to the consumer.
    #[inline]
    #[track_caller]
    pub fn cb_push_back(&self, cb: u8, pages: u32) {
        self.context.push_back(Site::here(), CbId(cb), pages);
    }

    /// Waits until `pages` pages are there.
    #[inline]
    #[track_caller]
    pub fn cb_wait_front(&self, cb: u8, pages: u32) {
        self.context.wait_front(Site::here(), CbId(cb), pages);
    }

    /// Gives `pages` pages back to the producer.
    #[inline]
    #[track_caller]
    pub fn cb_pop_front(&self, cb: u8, pages: u32) {
        self.context.pop_front(Site::here(), CbId(cb), pages);
    }

    /// Where this processor writes next.
    #[inline]
    #[track_caller]
    pub fn get_write_ptr(&self, cb: u8) -> L1Address {
        self.context.write_pointer(Site::here(), CbId(cb))
    }

    /// Where this processor reads next.
    #[inline]
    #[track_caller]
    pub fn get_read_ptr(&self, cb: u8) -> L1Address {
        self.context.read_pointer(Site::here(), CbId(cb))
    }

    /// Bytes of one tile of the buffer's format.
    #[inline]
    #[track_caller]
    pub fn get_tile_size(&self, cb: u8) -> u32 {
        self.get_dataformat(cb).tile_bytes() as u32
    }

    /// The buffer's format.
    #[inline]
    #[track_caller]
    pub fn get_dataformat(&self, cb: u8) -> DataFormat {
        let site = Site::here();
        match self.formats.get(CbId(cb)) {
            Some(formats) => formats.unpack.l1,
            None => self.context.stop(site, StopReason::NoSuchBuffer(CbId(cb))),
        }
    }

    /// A place in a core's L1.
    pub fn get_noc_addr(&self, core: CoreCoord, address: L1Address) -> NocAddress {
        NocAddress::L1 { core, address }
    }

    /// The accessor of a tensor whose words begin at `offset` in the compile-time arguments, and
    /// where the next tensor's begin.
    #[inline]
    #[track_caller]
    pub fn tensor_accessor(&self, offset: usize, base_address: u32) -> (TensorAccessor, usize) {
        let site = Site::here();
        let (values, common) = (self.compile_time_args(), &self.arguments.common);
        match TensorAccessorArgs::with_common(values, offset, common, 0) {
            Ok(args) => {
                let make = |arch: &_| TensorAccessor::from_args(args, base_address, arch);
                (self.context.architecture(make), args.next_compile_time_args_offset())
            }
            Err(error) => {
                let name = format!("tensor accessor at compile-time argument {offset}");
                let given = error.to_string();
                self.context.stop(site, StopReason::NoSuchArgument { name, given })
            }
        }
    }

    /// Asks for bytes from elsewhere.
    #[inline]
    #[track_caller]
    pub fn noc_async_read(&self, from: NocAddress, to: L1Address, bytes: u32) {
        self.context.noc_read(Site::here(), self.channel(0), from, to, bytes);
    }

    /// The same, counted under a transaction id.
    #[inline]
    #[track_caller]
    pub fn noc_async_read_with_trid(&self, from: NocAddress, to: L1Address, bytes: u32, trid: u8) {
        self.context.noc_read(Site::here(), self.channel(trid), from, to, bytes);
    }

    /// Asks for a page of a tensor.
    #[inline]
    #[track_caller]
    pub fn noc_async_read_page(&self, page: u32, from: &TensorAccessor, to: L1Address) {
        let (site, bytes) = (Site::here(), from.aligned_page_bytes());
        let at = self.addressed(site, from, page);
        self.context.noc_read(site, self.channel(0), at, to, bytes);
    }

    /// Sends bytes elsewhere.
    #[inline]
    #[track_caller]
    pub fn noc_async_write(&self, from: L1Address, to: NocAddress, bytes: u32) {
        self.write(Site::here(), 0, from, Target::One(to), bytes, false);
    }

    /// Sends bytes elsewhere without an acknowledgement.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_posted(&self, from: L1Address, to: NocAddress, bytes: u32) {
        self.write(Site::here(), 0, from, Target::One(to), bytes, true);
    }

    /// Sends bytes elsewhere, counted under a transaction id.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_with_trid(&self, from: L1Address, to: NocAddress, bytes: u32, trid: u8) {
        self.write(Site::here(), trid, from, Target::One(to), bytes, false);
    }

    /// Sends a page of a tensor.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_page(&self, page: u32, to: &TensorAccessor, from: L1Address) {
        let site = Site::here();
        let target = Target::One(self.addressed(site, to, page));
        self.write(site, 0, from, target, to.aligned_page_bytes(), false);
    }

    /// Where a page of a tensor is; one that the tensor does not have is told to observers.
    fn addressed(&self, site: Site, tensor: &TensorAccessor, page: u32) -> NocAddress {
        let (at, base) = (tensor.page(page), tensor.bank_base_address());
        if self.arguments.is_beyond(at, base, page) {
            self.context.say(site, EventKind::PageAddressed { at, base, page });
        }
        at
    }

    /// Sends bytes to the same address on every other core of a rectangle.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_multicast(
        &self,
        from: L1Address,
        to: CoreRange,
        address: L1Address,
        bytes: u32,
    ) {
        let target = Target::Cores { range: to, address, include_self: false };
        self.write(Site::here(), 0, from, target, bytes, false);
    }

    /// Sends bytes to the same address on every core of a rectangle, this one included.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_multicast_loopback_src(
        &self,
        from: L1Address,
        to: CoreRange,
        address: L1Address,
        bytes: u32,
    ) {
        let target = Target::Cores { range: to, address, include_self: true };
        self.write(Site::here(), 0, from, target, bytes, false);
    }

    fn write(&self, site: Site, trid: u8, from: L1Address, to: Target, bytes: u32, posted: bool) {
        self.context.noc_write(site, self.channel(trid), from, to, bytes, posted);
    }

    /// Sends one word that is part of the request.
    #[inline]
    #[track_caller]
    pub fn noc_inline_dw_write(&self, to: NocAddress, value: u32) {
        self.context.noc_inline_write(Site::here(), self.channel(0), to, value, false);
    }

    /// Waits until every read of this processor has landed.
    #[inline]
    #[track_caller]
    pub fn noc_async_read_barrier(&self) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::Reads, None);
    }

    /// Waits until the reads, and all else that is answered, under a transaction id have ended.
    #[inline]
    #[track_caller]
    pub fn noc_async_read_barrier_with_trid(&self, trid: u8) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::Reads, Some(trid));
    }

    /// Waits until every write of this processor has been acknowledged.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_barrier(&self) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::Writes, None);
    }

    /// Waits until the writes, and all else that is answered, under a transaction id have ended.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_barrier_with_trid(&self, trid: u8) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::Writes, Some(trid));
    }

    /// Waits until every write of this processor has left L1.
    #[inline]
    #[track_caller]
    pub fn noc_async_writes_flushed(&self) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::WritesDeparted, None);
    }

    /// Waits until the writes under a transaction id, posted ones too, have left L1.
    #[inline]
    #[track_caller]
    pub fn noc_async_write_flushed_with_trid(&self, trid: u8) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::WritesDeparted, Some(trid));
    }

    /// Waits until every posted write of this processor has left L1.
    #[inline]
    #[track_caller]
    pub fn noc_async_posted_writes_flushed(&self) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::PostedWritesDeparted, None);
    }

    /// Waits until every atomic of this processor has been acknowledged.
    #[inline]
    #[track_caller]
    pub fn noc_async_atomic_barrier(&self) {
        self.context.noc_barrier(Site::here(), self.noc, Barrier::Atomics, None);
    }

    /// Waits for everything this processor has asked of its network.
    #[inline]
    #[track_caller]
    pub fn noc_async_full_barrier(&self) {
        let site = Site::here();
        for barrier in
            [Barrier::Reads, Barrier::Writes, Barrier::PostedWritesDeparted, Barrier::Atomics]
        {
            self.context.noc_barrier(site, self.noc, barrier, None);
        }
    }

    /// Where a semaphore of the program lies, on this core and on every other.
    #[inline]
    #[track_caller]
    pub fn get_semaphore(&self, id: u32) -> L1Address {
        let kind = ArgumentKind::Semaphore;
        L1Address(self.arguments.positional(self.context, Site::here(), kind, id as usize))
    }

    /// Sets a semaphore of this core.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_set(&self, at: L1Address, value: u32) {
        self.context.semaphore_set(Site::here(), at, value);
    }

    /// Waits until a semaphore of this core has exactly this value.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_wait(&self, at: L1Address, value: u32) {
        self.context.semaphore_wait(Site::here(), at, SemaphoreTest::Equal(value));
    }

    /// Waits until a semaphore of this core has at least this value.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_wait_min(&self, at: L1Address, value: u32) {
        self.context.semaphore_wait(Site::here(), at, SemaphoreTest::AtLeast(value));
    }

    /// Adds to a semaphore of any core.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_inc(&self, to: NocAddress, by: u32) {
        self.context.noc_increment(Site::here(), self.channel(0), Target::One(to), by);
    }

    /// Copies a semaphore of this core to another.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_set_remote(&self, from: L1Address, to: NocAddress) {
        self.write(Site::here(), 0, from, Target::One(to), 4, false);
    }

    /// Copies a semaphore of this core to every other core of a rectangle.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_set_multicast(&self, from: L1Address, to: CoreRange, address: L1Address) {
        let target = Target::Cores { range: to, address, include_self: false };
        self.write(Site::here(), 0, from, target, 4, false);
    }

    /// Copies a semaphore of this core to every core of a rectangle, this one included.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_set_multicast_loopback_src(
        &self,
        from: L1Address,
        to: CoreRange,
        address: L1Address,
    ) {
        let target = Target::Cores { range: to, address, include_self: true };
        self.write(Site::here(), 0, from, target, 4, false);
    }

    /// Adds to a semaphore of every other core of a rectangle.
    #[inline]
    #[track_caller]
    pub fn noc_semaphore_inc_multicast(&self, to: CoreRange, address: L1Address, by: u32) {
        let target = Target::Cores { range: to, address, include_self: false };
        self.context.noc_increment(Site::here(), self.channel(0), target, by);
    }

    /// Reads bytes of this core's L1.
    #[inline]
    #[track_caller]
    pub fn read_l1<R>(&self, at: L1Address, bytes: u32, read: impl FnOnce(&[u8]) -> R) -> R {
        self.context.l1_read(Site::here(), at, bytes, read)
    }

    /// Writes bytes of this core's L1.
    #[inline]
    #[track_caller]
    pub fn write_l1(&self, at: L1Address, bytes: u32, write: impl FnOnce(&mut [u8])) {
        self.context.l1_write(Site::here(), at, bytes, write);
    }
}
