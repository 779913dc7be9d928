//! The data-movement side of a kernel's context: transfers, barriers, semaphores, direct L1.

use std::cell::{Ref, RefMut};

use crate::context::Context;
use crate::event::EventKind;
use crate::noc::{NocAddress, NocId};
use crate::processor::{Barrier, Changes, SemaphoreTest, Waiting};
use crate::stop::StopReason;
use crate::transfer::Target;
use crate::units::L1Address;
use crate::{Core, Site};

/// The network and transaction id of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The network.
    pub noc: NocId,
    /// The transaction id, 0 unless a kernel sets one; its lower four bits count.
    pub transaction: u8,
}

impl Context<'_> {
    fn issue(&self, site: Site, act: impl FnOnce(&mut Core) -> Result<(), StopReason>) {
        if !self.skips(site) {
            self.step(site, |timing| timing.noc_issue, act);
        }
    }

    /// Issues a read. Its bytes are valid after a barrier.
    pub fn noc_read(
        &self,
        site: Site,
        channel: Channel,
        from: NocAddress,
        to: L1Address,
        bytes: u32,
    ) {
        let processor = self.processor();
        self.issue(site, |core| core.issue_read(processor, channel, from, to, bytes));
    }

    /// Issues a write. Its source may be overwritten once the bytes have departed.
    pub fn noc_write(
        &self,
        site: Site,
        channel: Channel,
        from: L1Address,
        to: Target,
        bytes: u32,
        posted: bool,
    ) {
        let processor = self.processor();
        self.issue(site, |core| core.issue_write(processor, channel, from, to, bytes, posted));
    }

    /// Issues an inline write: the request carries the word.
    pub fn noc_inline_write(
        &self,
        site: Site,
        channel: Channel,
        to: NocAddress,
        value: u32,
        posted: bool,
    ) {
        let processor = self.processor();
        self.issue(site, |core| core.issue_inline_write(processor, channel, to, value, posted));
    }

    /// Adds to a word in an L1, or in the L1s of a rectangle of cores.
    pub fn noc_increment(&self, site: Site, channel: Channel, to: Target, by: u32) {
        let processor = self.processor();
        self.issue(site, |core| core.issue_increment(processor, channel, to, by));
    }

    /// Waits for this processor's own transfers on a network.
    pub fn noc_barrier(&self, site: Site, noc: NocId, barrier: Barrier, transaction: Option<u8>) {
        if self.skips(site) {
            return;
        }
        let waiting = Waiting::ForTransfers { noc, barrier, transaction };
        let kind = EventKind::BarrierPassed { noc, barrier, transaction };
        self.call_and_wait(site, |_| Ok(()), waiting, kind);
    }

    /// Waits until a word of this core's L1 has a value.
    pub fn semaphore_wait(&self, site: Site, at: L1Address, until: SemaphoreTest) {
        if self.skips(site) {
            return;
        }
        let waiting = Waiting::ForSemaphore { address: at, until };
        let kind = EventKind::SemaphoreWaited { at, until };
        self.call_and_wait(site, |core| core.check_l1(at, 4), waiting, kind);
    }

    /// Sets a word of this core's L1.
    pub fn semaphore_set(&self, site: Site, at: L1Address, value: u32) {
        if self.skips(site) {
            return;
        }
        let processor = self.processor();
        self.step(
            site,
            |timing| timing.l1_word,
            |core| {
                core.check_l1(at, 4)?;
                core.detach(at, 4);
                core.l1.set_word(at, value);
                core.emit(processor, EventKind::SemaphoreSet { at, value });
                core.stir(Changes::MEMORY);
                Ok(())
            },
        );
    }

    /// Reads this core's L1 directly.
    pub fn l1_read<R>(
        &self,
        site: Site,
        at: L1Address,
        bytes: u32,
        read: impl FnOnce(&[u8]) -> R,
    ) -> R {
        read(&self.l1_lent(site, at, bytes))
    }

    /// Bytes that are read. Compiled once, and not with each closure of each kernel.
    fn l1_lent(&self, site: Site, at: L1Address, bytes: u32) -> Ref<'_, [u8]> {
        let processor = self.processor();
        self.step(
            site,
            |timing| timing.call + u64::from(bytes.div_ceil(4)) * timing.l1_four_loads / 4,
            |core| {
                core.check_l1(at, bytes)?;
                core.emit(processor, EventKind::L1Read { at, bytes });
                core.clocks[processor as usize].polled = Some((site, at, bytes));
                Ok(())
            },
        );
        Ref::map(self.shared_core().borrow(), |core| {
            core.l1.get(at, bytes as usize).expect("checked")
        })
    }

    /// Writes this core's L1 directly.
    pub fn l1_write(&self, site: Site, at: L1Address, bytes: u32, write: impl FnOnce(&mut [u8])) {
        if let Some(mut lent) = self.l1_lent_mut(site, at, bytes) {
            write(&mut lent);
            drop(lent);
            self.l1_written(at, bytes);
        }
    }

    /// Bytes that are written, unless this run leaves the call out.
    fn l1_lent_mut(&self, site: Site, at: L1Address, bytes: u32) -> Option<RefMut<'_, [u8]>> {
        if self.skips(site) {
            return None;
        }
        self.step(
            site,
            |timing| timing.l1_word * u64::from(bytes.div_ceil(4)),
            |core| {
                core.check_l1(at, bytes)?;
                core.detach(at, bytes);
                Ok(())
            },
        );
        Some(RefMut::map(self.shared_core().borrow_mut(), |core| {
            core.l1.get_mut(at, bytes as usize).expect("checked")
        }))
    }

    fn l1_written(&self, at: L1Address, bytes: u32) {
        let mut core = self.shared_core().borrow_mut();
        core.emit(self.processor(), EventKind::L1Written { at, bytes });
        core.stir(Changes::MEMORY);
    }
}
