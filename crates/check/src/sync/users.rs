//! Who uses a buffer or a word. Programs do not declare it: it is learnt from what has happened.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_machine::{
    CbId, CoreCoord, Event, EventKind, L1Address, Processor, ProcessorId, Waiting,
};

use super::turns::AllTurns;
use crate::of_class;
use crate::per_core::PerCore;

/// Who has filled, drained and signalled what so far.
#[derive(Default)]
pub(crate) struct Users {
    /// For each buffer a bit a processor of its core.
    producers: PerCore<Vec<u8>>,
    consumers: PerCore<Vec<u8>>,
    signallers: BTreeMap<(CoreCoord, u32), BTreeSet<ProcessorId>>,
    /// How they take turns at rings.
    pub(crate) turns: AllTurns,
}

/// The only user of a ring.
pub(crate) struct OnlyUser {
    pub(crate) who: Processor,
    /// Whether it fills the ring and drains it.
    pub(crate) is_both: bool,
}

impl Users {
    pub(crate) fn event(&mut self, event: &Event) {
        let (who, core) = (event.processor, event.processor.core);
        self.turns.event(event);
        match event.kind {
            EventKind::Reserved { cb, .. }
            | EventKind::Pushed { cb, .. }
            | EventKind::Blocked(Waiting::ForSpace { cb, .. }) => {
                note(self.producers.at(core), cb, who.processor);
            }
            EventKind::Waited { cb, .. }
            | EventKind::Popped { cb, .. }
            | EventKind::Blocked(Waiting::ForPages { cb, .. }) => {
                note(self.consumers.at(core), cb, who.processor);
            }
            EventKind::SemaphoreSet { at, .. } | EventKind::L1Written { at, bytes: 4 } => {
                self.signallers.entry((core, at.0)).or_default().insert(who);
            }
            EventKind::Arrived { core, to, bytes: 4, .. } => {
                self.signallers.entry((core, to.0)).or_default().insert(who);
            }
            EventKind::PointerMoved { .. }
            | EventKind::Blocked(_)
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Read { .. }
            | EventKind::L1Written { .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadIssued { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteIssued { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. }
            | of_class!(Section, UnpackFormat, AluFormat, Operation, PackSetting, Unpack, Matrix)
            | of_class!(Vector, Pack, Kernel) => {}
        }
    }

    /// Who has pushed to a buffer or asked for room in it.
    pub(crate) fn producers(&self, core: CoreCoord, cb: CbId) -> Vec<ProcessorId> {
        noted(&self.producers, core, cb)
    }

    /// Who has waited for a buffer's pages or popped them.
    pub(crate) fn consumers(&self, core: CoreCoord, cb: CbId) -> Vec<ProcessorId> {
        noted(&self.consumers, core, cb)
    }

    /// The one processor that uses a ring, if there is no other.
    pub(crate) fn only_user(&self, core: CoreCoord, cb: CbId) -> Option<OnlyUser> {
        let (producers, consumers) = (self.producers(core, cb), self.consumers(core, cb));
        let who = producers.first().or(consumers.first())?.processor;
        let is_it = |id: &ProcessorId| id.processor == who;
        let is_both = !producers.is_empty() && !consumers.is_empty();
        let is_only = producers.iter().chain(&consumers).all(is_it);
        is_only.then_some(OnlyUser { who, is_both })
    }

    /// Who has changed a word, from its own core or another.
    pub(crate) fn signallers(&self, core: CoreCoord, at: L1Address) -> Vec<ProcessorId> {
        self.signallers.get(&(core, at.0)).into_iter().flatten().copied().collect()
    }
}

fn note(buffers: &mut Vec<u8>, cb: CbId, processor: Processor) {
    let place = usize::from(cb.0);
    if place >= buffers.len() {
        buffers.resize(place + 1, 0);
    }
    buffers[place] |= 1 << processor as u8;
}

fn noted(cores: &PerCore<Vec<u8>>, core: CoreCoord, cb: CbId) -> Vec<ProcessorId> {
    let bits = cores.get(core).and_then(|buffers| buffers.get(usize::from(cb.0))).copied();
    let is_noted = |it: &Processor| bits.unwrap_or(0) >> *it as u8 & 1 == 1;
    let all = Processor::ALL.into_iter().filter(is_noted);
    all.map(|processor| ProcessorId { core, processor }).collect()
}
