//! Pushes of more pages than were reserved.

use tilewright_machine::Event;

use super::window::Use;
use crate::ending::count_of;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::rings::Ring;
use crate::session::Found;

manual! {
    /// # What it finds
    /// A push of more pages than the processor has reserved and not pushed yet.
    /// # Why it matters
    /// Nothing has made sure that the pages beyond were free: the consumer may still read them, and
    /// the counters of a ring that is pushed over its size wrap. A processor that never reserves
    /// may push as many pages as the ring has, once: those are free since launch.
    /// # Instead
    /// Reserve as many pages as are pushed.
    pub struct OverPush {}
}

pub(super) fn check(event: &Event, ring: &Ring, state: &Use, pages: u32, found: &mut Found) {
    let is_first_lap = state.pushed + u64::from(pages) <= u64::from(ring.config.pages);
    if pages <= state.reserved.0 || (is_first_lap && !state.has_reserved) {
        return;
    }
    let (id, who, reserved) = (FindingId::OverPush, event.processor, state.reserved.0);
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let pushed = count_of(pages.into(), "page");
        Finding {
            title: format!(
                "{done} on core {core} pushes {pushed} of `{name}`, {reserved} reserved"
            ),
            marks: vec![Mark {
                role: format!("{done} pushes {pushed}; it has {reserved} reserved"),
                site: event.site,
                processor: Some(who),
            }],
            facts: vec![
                format!("proof: {done} has reserved {reserved} that it has not pushed before this"),
                format!("`{name}` has {}", count_of(ring.config.pages.into(), "page")),
                format!("cycle {}", event.cycle),
            ],
            help: Some(format!("reserve {pushed} before, or push {reserved}")),
            ..Finding::of(id)
        }
    });
}
