//! Pops of more pages than were waited for.

use tilewright_machine::Event;

use super::window::Use;
use crate::ending::count_of;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::rings::Ring;
use crate::session::Found;

manual! {
    /// # What it finds
    /// A pop of more pages than the processor has waited for and not popped yet.
    /// # Why it matters
    /// Nothing has made sure that the pages beyond were there. If they were not, the ring counts
    /// fewer than none: the producer believes in free pages that are in use, and the consumer's
    /// pointer runs ahead of the data.
    /// # Instead
    /// Wait for as many pages as are popped.
    pub struct OverPop {}
}

pub(super) fn check(event: &Event, ring: &Ring, state: &Use, pages: u32, found: &mut Found) {
    let waited = state.waited.0;
    if pages <= waited {
        return;
    }
    let (id, who) = (FindingId::OverPop, event.processor);
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let popped = count_of(pages.into(), "page");
        Finding {
            title: format!("{done} on core {core} pops {popped} of `{name}`, {waited} waited for"),
            marks: vec![Mark {
                role: format!("{done} pops {popped}; it has waited for {waited}"),
                site: event.site,
                processor: Some(who),
            }],
            facts: vec![
                format!("proof: {done} has waited for {waited} that it has not popped before this"),
                format!("cycle {}", event.cycle),
            ],
            help: Some(format!("wait for {popped} before, or pop {waited}")),
            ..Finding::of(id)
        }
    });
}
