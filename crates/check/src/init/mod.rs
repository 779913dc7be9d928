//! The tool init: uninitialised data, once it matters.
//!
//! Copying it is no fault. It is one when it reaches an element of an output, or when a kernel
//! reads it.

mod manuals;
mod output;

pub use manuals::{
    PaddingInOutput, StaleLap, UninitialisedBranch, UninitialisedDst, UninitialisedL1,
    UninitialisedPage, UnwrittenOutput,
};

use tilewright_machine::{CoreCoord, Event, EventKind, L1Address};

use crate::FindingId;
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::flow::{Birth, Flow};
use crate::of_class;
use crate::session::Found;
use crate::trace::Traces;

/// Bytes of a semaphore.
const WORD_BYTES: u32 = 4;

/// The judge of what is followed.
#[derive(Default)]
pub(crate) struct Init;

impl Init {
    /// Looks at an event before it is followed.
    pub(crate) fn event(&self, event: &Event, flow: &mut Flow, found: &mut Found) {
        let core = event.processor.core;
        match event.kind {
            EventKind::L1Read { at, bytes } => {
                if let Some(unwritten) = Unwritten::at(flow, core, at, bytes) {
                    branch(event, ("reads", bytes), &unwritten, found);
                }
            }
            // A word that was never written is reported by uninitialised-semaphore.
            EventKind::SemaphoreWaited { at, .. } => {
                let unwritten = Unwritten::at(flow, core, at, WORD_BYTES);
                if let Some(unwritten) = unwritten.filter(|it| it.is_copied || it.is_ring) {
                    branch(event, ("waits for", WORD_BYTES), &unwritten, found);
                }
            }
            EventKind::SemaphoreSet { .. }
            | EventKind::L1Written { .. }
            | of_class!(Ring, Wait, Section, UnpackFormat, AluFormat, Operation, PackSetting)
            | of_class!(Unpack, Matrix, Vector, Pack, Network, Kernel) => {}
        }
    }

    /// Looks at the outputs. Returns those pages that have a finding.
    pub(crate) fn end(&self, flow: &mut Flow, found: &mut Found) -> Vec<(usize, u32)> {
        output::judge(flow, found)
    }
}

/// A span of L1 of which no byte is initialised.
struct Unwritten {
    birth: Birth,
    /// What the place is called.
    name: String,
    is_ring: bool,
    /// Whether such bytes were copied there.
    is_copied: bool,
    /// The findings that have touched the place.
    reached: Traces,
}

impl Unwritten {
    fn at(flow: &mut Flow, core: CoreCoord, at: L1Address, bytes: u32) -> Option<Unwritten> {
        let (place, span) = (at.0 as usize, bytes as usize);
        let here = flow.core(core);
        let mut granules = here.l1.span(place, span);
        if !granules.all(|granule| granule.defined & granule.bytes == 0) {
            return None;
        }
        drop(granules);
        let fact = here.l1.fact_at(place).copied();
        let (earlier, ring) = (here.birth(place, fact.as_ref()), here.ring_at(place));
        let cb = ring.map(|ring| ring.config.id);
        let mut reached = here.ring_traces(place);
        reached.join(fact.map_or(Traces::NONE, |fact| fact.sources.traces));
        let copied = fact.and_then(|fact| flow.births.get(fact.born)).map(|born| born.birth);
        let (birth, is_copied) = (copied.or(earlier)?, copied.is_some());
        let name = match (cb, birth) {
            (Some(cb), _) => format!("`{}`", flow.buffer_name(core, cb)),
            (None, Birth::L1 { place, .. }) if !is_copied => place.to_string(),
            (None, _) => format!("L1 at {:#x}", at.0),
        };
        let is_padding = matches!(birth, Birth::Padding { .. });
        let is_ring = cb.is_some();
        (!is_padding).then_some(Unwritten { birth, name, is_ring, is_copied, reached })
    }
}

fn branch(event: &Event, (does, bytes): (&str, u32), unwritten: &Unwritten, found: &mut Found) {
    let (id, who) = (FindingId::UninitialisedBranch, event.processor);
    let about = (unwritten.reached, None);
    found.add_reached(about, id, event.site, (event.cycle, who.core), || {
        let (name, bytes) = (&unwritten.name, count_of(u64::from(bytes), "byte"));
        let (what, earlier) = match unwritten.birth {
            Birth::Lap { written, by, .. } => {
                let role = format!("{} wrote them, a lap ago", by.processor);
                (
                    "left from an earlier lap",
                    Some(Mark { role, site: written, processor: Some(by) }),
                )
            }
            Birth::Page { .. } | Birth::L1 { .. } | Birth::Output { .. } => {
                ("that were not written", None)
            }
            Birth::Dst { .. } | Birth::Leftover { .. } | Birth::Padding { .. } => {
                ("that were not computed", None)
            }
        };
        let (since, help) = if unwritten.is_ring {
            (format!("in this lap of {name}"), "wait for what writes the page before reading it")
        } else {
            (
                "since launch".to_owned(),
                "write the place before reading it, or wait for the processor that does",
            )
        };
        let role = format!("{} {does} {bytes} of {name} {what}", who.processor);
        let title =
            format!("{} on core {} {does} {bytes} of {name} {what}", who.processor, who.core);
        let mark = Mark { role, site: event.site, processor: Some(who) };
        Finding {
            title,
            marks: earlier.into_iter().chain([mark]).collect(),
            facts: vec![format!("proof: none of the {bytes} has been written {since}")],
            help: Some(help.to_owned()),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
