//! Which rings inputs were read into, and which lines took pages out of them: which line took the
//! wrong page when part of an input is missing.
//!
//! Judges nothing.

use tilewright_machine::{CbId, CoreCoord, Event, EventKind, ProcessorId, Site};

use crate::ending::count_of;
use crate::finding::Mark;
use crate::flow::Flow;
use crate::of_class;
use crate::per_core::PerCore;

/// What is known of the rings of all cores.
#[derive(Default)]
pub(super) struct Taken {
    cores: PerCore<CoreInputs>,
}

#[derive(Default)]
struct CoreInputs {
    /// The ring that each input was brought to first, by the input's number.
    brought: Vec<Option<CbId>>,
    /// By the ring's number.
    rings: Vec<Ring>,
}

#[derive(Clone, Default)]
struct Ring {
    /// The lines that took pages out, in the order of their first time.
    takers: Vec<(Site, ProcessorId)>,
    /// Who gave pages back first.
    popped: Option<(Site, ProcessorId)>,
}

/// Lines that are remembered of a ring.
const TAKERS: usize = 8;

impl Taken {
    /// Looks at an event before it is followed.
    pub(super) fn event(&mut self, event: &Event, flow: &mut Flow) {
        let core = event.processor.core;
        match event.kind {
            EventKind::Unpacked { tiles, .. } => {
                tiles.into_iter().flatten().for_each(|tile| self.took(event, tile.cb));
            }
            EventKind::ReadIssued { from, to, .. } => {
                let input = flow.inputs.iter().position(|input| input.page_at(from).is_some());
                let Some(input) = input else { return };
                let brought = &mut self.cores.at(core).brought;
                if brought.len() <= input {
                    brought.resize(input + 1, None);
                }
                if brought[input].is_none() {
                    let ring = flow.core(core).ring_at(to.0 as usize);
                    brought[input] = ring.map(|ring| ring.config.id);
                }
            }
            EventKind::WriteIssued { from: Some(at), .. } | EventKind::L1Read { at, .. } => {
                let ring = flow.core(core).ring_at(at.0 as usize).map(|ring| ring.config.id);
                ring.into_iter().for_each(|cb| self.took(event, cb));
            }
            EventKind::Popped { cb, .. } => {
                let who = (event.site, event.processor);
                self.ring(core, cb).popped.get_or_insert(who);
            }
            EventKind::Zeros { .. }
            | EventKind::WriteIssued { from: None, .. }
            | EventKind::PageAddressed { .. }
            | EventKind::CoresMiscounted { .. }
            | EventKind::ReadLanded { .. }
            | EventKind::WriteDeparted { .. }
            | EventKind::WriteAcknowledged { .. }
            | EventKind::AtomicIssued { .. }
            | EventKind::AtomicAcknowledged { .. }
            | EventKind::Arrived { .. }
            | EventKind::BarrierPassed { .. }
            | EventKind::SemaphoreSet { .. }
            | EventKind::SemaphoreWaited { .. }
            | EventKind::L1Written { .. }
            | EventKind::Reserved { .. }
            | EventKind::Pushed { .. }
            | EventKind::Waited { .. }
            | EventKind::PointerMoved { .. }
            | of_class!(Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting, Matrix)
            | of_class!(Vector, Pack, Kernel) => {}
        }
    }

    fn took(&mut self, event: &Event, cb: CbId) {
        let takers = &mut self.ring(event.processor.core, cb).takers;
        if takers.len() < TAKERS && !takers.iter().any(|(site, _)| *site == event.site) {
            takers.push((event.site, event.processor));
        }
    }

    fn ring(&mut self, core: CoreCoord, cb: CbId) -> &mut Ring {
        let (rings, place) = (&mut self.cores.at(core).rings, usize::from(cb.0));
        if rings.len() <= place {
            rings.resize(place + 1, Ring::default());
        }
        &mut rings[place]
    }

    /// The ring that an input was read into on a core and that no pages were taken out of, and the
    /// line that took from another one a second time or gave its pages back.
    pub(super) fn untaken(
        &self,
        flow: &Flow,
        core: CoreCoord,
        input: usize,
    ) -> Option<(Mark, String)> {
        let known = self.cores.get(core)?;
        let cb = (*known.brought.get(input)?)?;
        let none = Ring::default();
        let ring = known.rings.get(usize::from(cb.0)).unwrap_or(&none);
        if !ring.takers.is_empty() {
            return None;
        }
        let name = flow.buffer_name(core, cb);
        let input = flow.inputs[input].name();
        let others = known.rings.iter().enumerate().filter(|(_, ring)| ring.takers.len() > 1);
        let again = others.max_by_key(|(_, ring)| ring.takers.len());
        let fact = |why: &str| format!("`{input}` was brought to `{name}`, {why}");
        let mark =
            |(site, who): (Site, ProcessorId), role| Mark { role, site, processor: Some(who) };
        if let Some((number, other)) = again {
            let last = *other.takers.last()?;
            let (lines, other) =
                (other.takers.len() as u64, flow.buffer_name(core, CbId(number as u8)));
            let role =
                format!("{} takes `{other}` here, and nobody takes `{name}`", last.1.processor);
            let why = format!(
                "which nobody takes anything out of; {} take from `{other}`",
                count_of(lines, "line")
            );
            return Some((mark(last, role), fact(&why)));
        }
        let popped = ring.popped?;
        let role =
            format!("{} gives pages of `{name}` back that nobody has read", popped.1.processor);
        Some((mark(popped, role), fact("which nobody takes anything out of")))
    }
}
