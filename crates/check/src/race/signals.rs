//! Words on their way and in L1: what brings one from core to core, and what is done to it there.

use tilewright_machine::{Channel, CoreCoord, Event, L1Address, Target, TransferId};
use tilewright_metal::reserved_l1::MAILBOXES;

use super::clock::Slot;
use super::flights::Flight;
use super::order::Sent;
use super::shadow::{Access, How};
use super::words::{self, Change, Hazard};
use super::{Race, line, lost_update, skippable_wait};
use crate::covered::TransferKind;

impl Race {
    pub(super) fn send(
        &mut self,
        event: &Event,
        core: usize,
        (id, on, cores): (TransferId, (Slot, u32), usize),
        is_atomic: bool,
    ) {
        let (site, cycle) = (event.site, event.cycle);
        let sent = Sent { id, on, cores, is_atomic, site, cycle };
        self.cores[core].send(event.processor.processor, sent);
    }

    pub(super) fn atomic(
        &mut self,
        event: &Event,
        core: usize,
        id: TransferId,
        (channel, to): (Channel, Target),
    ) {
        let processor = event.processor.processor;
        let moment = self.cores[core].issue(processor, line(to, channel.noc));
        self.flights[core].add_atomic(Flight {
            id,
            processor,
            channel,
            kind: TransferKind::Atomic,
            bytes: None,
            at: 0,
            arrival: Some(moment),
            site: event.site,
            is_done: false,
            is_flushed: false,
        });
        let cores = match to {
            Target::One(_) => 1,
            Target::Cores { range, include_self, .. } => {
                let here = event.processor.core;
                range.cores().filter(|coord| include_self || *coord != here).count()
            }
        };
        self.send(event, core, (id, moment, cores), true);
    }

    pub(super) fn arrived(
        &mut self,
        event: &Event,
        core: usize,
        (id, coord): (TransferId, CoreCoord),
        to: L1Address,
    ) {
        let Some(arrival) = self.cores[core].arrive(id) else { return };
        let at = self.number(coord);
        let was_signal = self.cores[at].is_signal(to.0);
        let hazard = self.cores[at].take(to, &arrival, event.cycle);
        self.hazard(at, to, hazard);
        if arrival.is_atomic && !was_signal {
            let old = self.l1[at].store_unknown_to((to.0, to.0 + 4), &arrival.clock, core);
            let hazard = old.map(|old| {
                let (next, site) = (arrival.change(event.cycle), self.ledger.site_of(&old));
                let Access { slot, at, cycle, .. } = old;
                let old = Change { how: words::How::Set, slot, at, site, cycle, read: None };
                Hazard::Lost { old, next }
            });
            self.hazard(at, to, hazard);
        }
    }

    /// Says what is in no order at a word. Mailboxes are the hardware's: what is sent and what is
    /// taken is counted in one step there (tt-isa-documentation, BabyRISCV/Mailboxes.md).
    fn hazard(&mut self, core: usize, at: L1Address, hazard: Option<Hazard>) {
        if MAILBOXES.contains(&at.0) {
            return;
        }
        let (case, slots) = match hazard {
            Some(Hazard::Lost { old, next }) => {
                let case = lost_update::case(&self.ledger, (core, at), &old, &next);
                (case, (old.slot, next.slot))
            }
            Some(Hazard::Skipped { wait, next }) => {
                let case = skippable_wait::case(&self.ledger, (core, at), &wait, &next);
                (case, (wait.slot, next.slot))
            }
            None => return,
        };
        self.ledger.add_word(case, slots);
    }

    pub(super) fn set_word(&mut self, event: &Event, core: usize, at: L1Address) {
        let (who, when) = (event.processor.processor, (event.site, event.cycle));
        let hazard = self.cores[core].set_word(who, at, when);
        self.hazard(core, at, hazard);
    }

    pub(super) fn loaded(&mut self, event: &Event, core: usize, at: L1Address, bytes: u32) {
        if bytes <= 4 && self.cores[core].has_word(at.0) {
            let who = event.processor.processor;
            self.cores[core].read_word(who, at, event.site);
            return self.heard(who, core);
        }
        self.touch(event, core, How::Load, at, bytes);
    }

    pub(super) fn stored(&mut self, event: &Event, core: usize, at: L1Address, bytes: u32) {
        if bytes <= 4 && self.cores[core].is_signal(at.0) {
            return self.set_word(event, core, at);
        }
        self.touch(event, core, How::Store, at, bytes);
    }
}
