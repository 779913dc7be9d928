//! Which findings have touched what of a core: values carry it where they go, and rings, sections
//! of Dst and processors hand it on to what goes through them.

use tilewright_machine::{Event, EventKind, Processor};

use super::core::CoreFlow;
use crate::of_class;
use crate::trace::Traces;

/// What findings have touched, beside the values that carry it themselves.
#[derive(Default)]
pub(super) struct Touch {
    is_any: bool,
    /// Sections of Dst that are not what they should be.
    dst: Traces,
    /// What processors have seen or are set for, in the order of `Processor::ALL`.
    processors: [Traces; 5],
    /// Those of what an event writes.
    pub(super) now: Traces,
}

impl CoreFlow {
    /// An event begins that has to do with findings, or follows one that had.
    #[inline]
    pub(crate) fn begin(&mut self, event: &Event, touched: Traces) {
        if touched.is_empty() && !self.touch.is_any {
            return;
        }
        let mut now = touched;
        now.join(self.touch.processors[event.processor.processor as usize]);
        now.join(self.touch.dst);
        self.touch.now = now;
    }

    /// The findings that have touched what a processor of the core writes by itself.
    pub(crate) fn traces_of(&self, processor: Processor) -> Traces {
        self.touch.processors[processor as usize]
    }

    /// An event that has to do with findings is over: what they leave wrong.
    pub(crate) fn touch(&mut self, event: &Event, touched: Traces) {
        self.touch.is_any = true;
        match event.kind {
            EventKind::Reserved { cb, .. }
            | EventKind::Pushed { cb, .. }
            | EventKind::Waited { cb, .. }
            | EventKind::Popped { cb, .. } => {
                if let Some(ring) = self.ring_mut(cb) {
                    ring.traces.join(touched);
                }
            }
            EventKind::DstAcquired
            | EventKind::DstCommitted
            | EventKind::DstWaited
            | EventKind::DstReleased => self.touch.dst.join(touched),
            EventKind::L1Read { .. }
            | EventKind::SemaphoreWaited { .. }
            | EventKind::Configured(_)
            | EventKind::StartedUp => {
                self.touch.processors[event.processor.processor as usize].join(touched);
            }
            // What they write carries it.
            EventKind::PointerMoved { .. }
            | EventKind::StartupRepeated
            | EventKind::SemaphoreSet { .. }
            | EventKind::L1Written { .. }
            | of_class!(Wait, Unpack, Matrix, Vector, Pack, Network, Kernel) => {}
        }
    }

    /// The findings that have touched the ring at a place.
    pub(crate) fn ring_traces(&self, at: usize) -> Traces {
        if !self.touch.is_any {
            return Traces::NONE;
        }
        self.ring_at(at).map_or(Traces::NONE, |ring| ring.traces)
    }
}
