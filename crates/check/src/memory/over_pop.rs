//! Pops of more pages than were waited for.

use tilewright_machine::Event;

use super::window::{Claim, Pages, Use};
use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark, line_of};
use crate::flow::Step;
use crate::rings::Ring;
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A pop of more pages than the processor has waited for and not popped yet, unless they are
    /// there in every schedule: because the push that ended its wait gave them too, or because it
    /// has waited for what the same producer pushed to another ring later. A ring that one
    /// processor alone fills and drains is left alone, and so is one that is declared as scratch.
    /// # Why it matters
    /// Nothing has made sure that the pages beyond were there. If they were not, the ring counts
    /// fewer than none: the producer believes in free pages that are in use, and the consumer's
    /// pointer runs ahead of the data.
    /// # Instead
    /// Wait for as many pages as are popped.
    pub struct OverPop {}
    Declaration {
        name: "over-pop",
        tool: Some(Tool::Memory),
        loses_values: true,
        miscounts: true,
        gives_pages_away: true,
        is_of_turns: true,
        follows: &[Cause::OfItsRing, Cause::OfItsSide(&[FindingId::OutsideWindow])],
        stuck_waits: StuckWaits::ForItsRing,
    }
}

/// A pop of `pages`, of which the processor knows from waits for other rings that so many are
/// there.
pub(super) fn check(
    event: &Event,
    ring: &Ring,
    state: &Use,
    (pages, known): (u32, u32),
    found: &mut Found,
) {
    let waited = state.waited.0;
    if pages <= waited.max(known) {
        return;
    }
    let (id, who) = (FindingId::OverPop, event.processor);
    let first = state.first_uses[Claim::Waited as usize];
    let (cycle, token) = match first {
        Some((step, token)) => (step.cycle, Some(found.again(token))),
        None => (event.cycle, None),
    };
    found.add_ring(ring.config.id, token, (id, event.site), (cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let popped = count_of(pages.into(), "page");
        Finding {
            title: format!("{done} on core {core} pops {popped} of `{name}`, {waited} waited for"),
            marks: marks(
                first.map(|(step, _)| (step, format!("{done} reads `{name}` without a wait"))),
                (event, format!("{done} pops {popped}; it has waited for {waited}")),
            ),
            facts: vec![format!(
                "proof: {done} has waited for {waited} that it has not popped before this"
            )],
            help: Some(help((&state.waited, pages), name, first.map(|(step, _)| step), event)),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}

/// A call that was forgotten, or counts that differ.
fn help((waited, pages): (&Pages, u32), name: &str, first: Option<Step>, pop: &Event) -> String {
    let popped = count_of(pages.into(), "page");
    match (waited.0, first) {
        (0, first) => {
            let line = line_of(first.map_or(pop.site, |step| step.site));
            format!("call `cb_wait_front` for {popped} of `{name}` before {line}")
        }
        (waited, _) => {
            let held = count_of(waited.into(), "page");
            format!("pop {held} at {}, or wait for {pages}", line_of(pop.site))
        }
    }
}

/// The first use, if it was one without a wait or a reserve, and the call that gives pages on.
pub(super) fn marks(first: Option<(Step, String)>, (event, role): (&Event, String)) -> Vec<Mark> {
    let first =
        first.map(|(step, role)| Mark { role, site: step.site, processor: Some(step.processor) });
    let last = Mark { role, site: event.site, processor: Some(event.processor) };
    first.into_iter().chain([last]).collect()
}
