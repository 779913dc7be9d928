//! Pages that run over the end of their ring.

use tilewright_machine::{Event, EventKind, L1Address, Processor};

use super::window::{Range, Use};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark};
use crate::rings::Ring;
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// An access to held pages that runs over the end of their ring, or a push or pop that moves a
    /// data-movement processor's pointer past the end without landing on it.
    /// # Why it matters
    /// Addresses do not wrap inside a block of pages: the bytes beyond belong to another buffer. A
    /// data-movement pointer wraps only when it lands on the end, and otherwise never comes back.
    /// # Instead
    /// Give the ring a whole number of the blocks that are pushed and popped at a time.
    pub struct StraddlesEnd {}
    Declaration {
        name: "straddles-end",
        tool: Some(Tool::Memory),
        loses_values: true,
        miscounts: true,
        follows: &[Cause::OfItsRing, Cause::OfItsSize],
        stuck_waits: StuckWaits::ForItsRing,
    }
}

/// Looks at a pointer's step.
pub(super) fn check_step(
    event: &Event,
    ring: &Ring,
    state: &mut Use,
    (from, to): (L1Address, L1Address),
    found: &mut Found,
) {
    let limit = ring.config.limit();
    let is_past = match event.processor.processor {
        Processor::Reader | Processor::Writer => from < limit && to > limit,
        // Compute pointers wrap beyond the end too; what counts there is what is touched.
        Processor::Unpack | Processor::Math | Processor::Pack => false,
    };
    if state.is_broken || state.is_by_hand || !is_past {
        return;
    }
    state.is_broken = true;
    let is_pop = matches!(event.kind, EventKind::Popped { .. });
    let verb = if is_pop { "pops" } else { "pushes" };
    let over = u64::from(to.0 - limit.0);
    let role = format!("{} {verb} over the end, {over} bytes beyond", event.processor.processor);
    report(event, ring, role, format!("the pointer never lands on the end, {:#x}", limit.0), found);
}

/// Tells of an access inside a window that is beyond the ring.
pub(super) fn report_access(event: &Event, ring: &Ring, range: Range, found: &mut Found) {
    let (bytes, limit) = (range.end - range.start, u64::from(ring.config.limit().0));
    let role = format!("{} uses {bytes} bytes from {:#x}", event.processor.processor, range.start);
    let over = range.end - limit.max(range.start);
    report(
        event,
        ring,
        role,
        format!("{over} of them lie beyond {limit:#x}, the ring's end"),
        found,
    );
}

fn report(event: &Event, ring: &Ring, role: String, proof: String, found: &mut Found) {
    let (id, who) = (FindingId::StraddlesEnd, event.processor);
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let pages = count_of(ring.config.pages.into(), "page");
        Finding {
            title: format!("{done} on core {core} runs over the end of `{name}`"),
            marks: vec![
                Mark { role, site: event.site, processor: Some(who) },
                ring.declaration(format!("`{name}` was given {pages} here")),
            ],
            facts: vec![format!("proof: {proof}")],
            help: Some(format!("give `{name}` a whole number of the blocks used at a time")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
