//! Pushes of more pages than were reserved.

use tilewright_machine::Event;

use super::over_pop::marks;
use super::window::{Claim, Use};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, line_of};
use crate::rings::Ring;
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A push of more pages than the processor has reserved and not pushed yet.
    /// # Why it matters
    /// Nothing has made sure that the pages beyond were free: the consumer may still read them, and
    /// the counters of a ring that is pushed over its size wrap. A processor that never reserves
    /// may push as many pages as the ring has, once: those are free since launch.
    /// # Instead
    /// Reserve as many pages as are pushed.
    pub struct OverPush {}
    Declaration {
        name: "over-push",
        tool: Some(Tool::Memory),
        loses_values: true,
        miscounts: true,
        gives_pages_away: true,
        is_of_turns: true,
        follows: &[Cause::OfItsRing, Cause::OfItsSide(&[FindingId::OutsideWindow])],
        stuck_waits: StuckWaits::ForItsRing,
    }
}

pub(super) fn check(event: &Event, ring: &Ring, state: &Use, pages: u32, found: &mut Found) {
    let is_first_lap = state.pushed + u64::from(pages) <= u64::from(ring.config.pages);
    if pages <= state.reserved.0 || (is_first_lap && !state.has_reserved) {
        return;
    }
    let (id, who, reserved) = (FindingId::OverPush, event.processor, state.reserved.0);
    let first = state.first_uses[Claim::Reserved as usize];
    let (cycle, token) = match first {
        Some((step, token)) => (step.cycle, Some(found.again(token))),
        None => (event.cycle, None),
    };
    found.add_ring(ring.config.id, token, (id, event.site), (cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let pushed = count_of(pages.into(), "page");
        Finding {
            title: format!(
                "{done} on core {core} pushes {pushed} of `{name}`, {reserved} reserved"
            ),
            marks: marks(
                first.map(|(step, _)| (step, format!("{done} fills `{name}` without a reserve"))),
                (event, format!("{done} pushes {pushed}; it has {reserved} reserved")),
            ),
            facts: vec![
                format!("proof: {done} has reserved {reserved} that it has not pushed before this"),
                format!("`{name}` has {}", count_of(ring.config.pages.into(), "page")),
            ],
            help: Some(match reserved {
                0 => {
                    let line = line_of(first.map_or(event.site, |(step, _)| step.site));
                    format!("call `cb_reserve_back` for {pushed} of `{name}` before {line}")
                }
                _ => {
                    let (held, line) = (count_of(reserved.into(), "page"), line_of(event.site));
                    format!("push {held} at {line}, or reserve {pages}")
                }
            }),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
