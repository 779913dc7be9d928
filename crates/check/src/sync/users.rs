//! Who uses a buffer or a word. Programs do not declare it: it is learnt from what has happened.

use std::collections::{BTreeMap, BTreeSet};

use tilewright_machine::{CbId, CoreCoord, Event, EventKind, L1Address, ProcessorId, Waiting};

/// Who has filled, drained and signalled what so far.
#[derive(Default)]
pub(crate) struct Users {
    producers: BTreeMap<(CoreCoord, u8), BTreeSet<ProcessorId>>,
    consumers: BTreeMap<(CoreCoord, u8), BTreeSet<ProcessorId>>,
    signallers: BTreeMap<(CoreCoord, u32), BTreeSet<ProcessorId>>,
}

impl Users {
    pub(crate) fn event(&mut self, event: &Event) {
        let (who, core) = (event.processor, event.processor.core);
        match event.kind {
            EventKind::Reserved { cb, .. }
            | EventKind::Pushed { cb, .. }
            | EventKind::Blocked(Waiting::ForSpace { cb, .. }) => {
                self.producers.entry((core, cb.0)).or_default().insert(who);
            }
            EventKind::Waited { cb, .. }
            | EventKind::Popped { cb, .. }
            | EventKind::Blocked(Waiting::ForPages { cb, .. }) => {
                self.consumers.entry((core, cb.0)).or_default().insert(who);
            }
            EventKind::SemaphoreSet { at, .. } | EventKind::L1Written { at, bytes: 4 } => {
                self.signallers.entry((core, at.0)).or_default().insert(who);
            }
            EventKind::Arrived { core, to, bytes: 4, .. } => {
                self.signallers.entry((core, to.0)).or_default().insert(who);
            }
            _ => {}
        }
    }

    /// Who has pushed to a buffer or asked for room in it.
    pub(crate) fn producers(&self, core: CoreCoord, cb: CbId) -> Vec<ProcessorId> {
        self.producers.get(&(core, cb.0)).into_iter().flatten().copied().collect()
    }

    /// Who has waited for a buffer's pages or popped them.
    pub(crate) fn consumers(&self, core: CoreCoord, cb: CbId) -> Vec<ProcessorId> {
        self.consumers.get(&(core, cb.0)).into_iter().flatten().copied().collect()
    }

    /// Who has changed a word, from its own core or another.
    pub(crate) fn signallers(&self, core: CoreCoord, at: L1Address) -> Vec<ProcessorId> {
        self.signallers.get(&(core, at.0)).into_iter().flatten().copied().collect()
    }
}
