//! What a kernel may do that is not written against this crate: one with pointers into L1, whose
//! steps are counted from outside and which cannot always be unwound.
//!
//! Knows no language. The caller that runs such kernels reports what they access.

use crate::circular_buffer::CircularBuffer;
use crate::context::Context;
use crate::core::Clock;
use crate::event::EventKind;
use crate::noc::NocId;
use crate::processor::{Barrier, Changes};
use crate::stop::StopReason;
use crate::timing::Timing;
use crate::units::{CbId, L1Address};
use crate::{CoreCoord, Cycle, Site};

impl Context<'_> {
    /// The address of this core's L1 for raw pointers, if it has been moved to where they reach.
    pub fn l1_low_base(&self) -> Option<u32> {
        self.with_core(|core| core.l1.low_base())
    }

    /// Inspects a ring without letting time pass.
    pub fn look_at_buffer<R>(
        &self,
        site: Site,
        cb: CbId,
        look: impl FnOnce(&CircularBuffer) -> R,
    ) -> R {
        self.quick(site, |core| core.buffer(cb).map(look))
    }

    /// Transfers that a barrier would wait for now. To see that there are none counts as a barrier.
    pub fn transfers_under_way(
        &self,
        site: Site,
        noc: NocId,
        barrier: Barrier,
        transaction: Option<u8>,
    ) -> u32 {
        let processor = self.processor();
        self.at_once(site, |core| {
            let counters = &core.counters[processor.index()][noc as usize];
            let under_way = counters.under_way(barrier, transaction);
            if under_way == 0 {
                core.emit(processor, EventKind::BarrierPassed { noc, barrier, transaction });
            }
            Ok(under_way)
        })
    }

    /// Lets time pass for blocks of plain code, which are no call.
    #[inline]
    pub fn spend(&self, site: Site, blocks: u32) {
        self.pass(site, |timing| u64::from(blocks) * timing.block, |_| {});
    }

    /// The same before a call that begins with time passing for it: the others get their turn
    /// then, and what happens is in the same order. False, and nothing is done, where a turn in
    /// between counts: a seed decides something there, or the run may end.
    #[inline]
    pub fn spend_with_call(&self, blocks: u32) -> bool {
        let core = &mut *self.shared_core().borrow_mut();
        let clock = &mut core.clocks[self.processor().index()];
        let end = Cycle(clock.cycle.0 + u64::from(blocks) * core.arch.timing.block);
        let goes_on = end < core.until && end.0 <= core.run.cycle_limit;
        let is_same = goes_on && !core.schedule.decides_ties() && self.edit.is_none();
        if is_same {
            clock.cycle = end;
        }
        is_same
    }

    /// Writes words that the host left for the kernel, as the launch does: without an event.
    pub fn place_words(&self, site: Site, at: L1Address, words: &[u32]) {
        self.at_once(site, |core| {
            core.check_l1(at, 4 * words.len() as u32)?;
            core.detach(at, 4 * words.len() as u32);
            for (place, word) in words.iter().enumerate() {
                core.l1.set_word(at + 4 * place as u32, *word);
            }
            Ok(())
        });
    }

    /// A word of this core's L1, without an event; 0 where there is none.
    pub fn peek_word(&self, at: L1Address) -> u32 {
        self.with_core(|core| core.l1.word(at)).unwrap_or(0)
    }

    /// Records that a kernel is about to read or write its L1 through a pointer, after so many
    /// blocks of plain code. Reading the same word repeatedly counts as polling, as a call would.
    pub fn touch_l1(&self, site: Site, at: L1Address, bytes: u32, is_write: bool, blocks: u32) {
        let processor = self.processor();
        let words = u64::from(bytes.div_ceil(4));
        let cycles = |timing: &Timing| {
            let access = match is_write {
                true => words * timing.l1_word,
                false => (words * timing.l1_four_loads).div_ceil(4),
            };
            u64::from(blocks) * timing.block + access
        };
        let note = |clock: &mut Clock| {
            if is_write {
                clock.polled = None;
                return;
            }
            let touched = Some((site, at, bytes));
            clock.calls += u64::from(clock.polled == touched);
            clock.polled = touched;
        };
        self.step_noting(site, cycles, note, |core| {
            core.check_l1(at, bytes)?;
            if is_write {
                core.detach(at, bytes);
                core.emit(processor, EventKind::L1Written { at, bytes });
                core.stir(Changes::MEMORY);
            } else {
                core.emit(processor, EventKind::L1Read { at, bytes });
            }
            Ok(())
        });
    }

    /// Ends the run because of a pointer into another core's L1.
    pub fn refuse_foreign_l1(&self, site: Site, owner: CoreCoord, at: L1Address, bytes: u32) -> ! {
        self.stop(site, StopReason::ForeignL1 { owner, at, bytes })
    }

    /// Records a kernel's output.
    pub fn say(&self, site: Site, kind: EventKind) {
        let processor = self.processor();
        self.at_once(site, |core| {
            core.emit(processor, kind);
            core.keep_said(processor, kind);
            Ok(())
        });
    }

    /// Says that frames follow which cannot be unwound: if the kernel does not return, it is
    /// abandoned as it stands.
    pub fn forbid_unwinding(&self) {
        let processor = self.processor();
        self.with_core_mut(|core| core.is_rigid[processor.index()] = true);
    }
}
