//! Reserves of more pages than the ring has.

use tilewright_machine::Event;

use crate::FindingId;
use crate::declaration::{Cause, StuckWaits, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark, Remedy, line_of};
use crate::rings::Ring;
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A reserve of more pages than the ring has.
    /// # Why it matters
    /// No schedule can satisfy it: the processor never moves again, nor do those who wait for it.
    /// # Instead
    /// Reserve fewer at a time, or give the ring as many pages, which is advised if the program
    /// then completes.
    pub struct OverReserve {}
    Declaration {
        name: "over-reserve",
        tool: Some(Tool::Memory),
        loses_values: true,
        miscounts: true,
        follows: &[Cause::OfItsRing],
        stuck_waits: StuckWaits::ForItsRing,
    }
}

pub(super) fn check(event: &Event, ring: &Ring, asked: u32, found: &mut Found) {
    let pages = ring.config.pages;
    if asked <= pages {
        return;
    }
    let (id, who) = (FindingId::OverReserve, event.processor);
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let least = asked;
        let (asked, has) = (count_of(asked.into(), "page"), count_of(pages.into(), "page"));
        Finding {
            title: format!("{done} on core {core} reserves {asked} of `{name}`, which has {pages}"),
            marks: vec![
                Mark {
                    role: format!("{done} reserves {asked}"),
                    site: event.site,
                    processor: Some(who),
                },
                ring.declaration(format!("`{name}` was given {has} here")),
            ],
            facts: vec![format!("proof: `{name}` has {has}, so no schedule can satisfy it")],
            help: Some(format!(
                "reserve {pages} or fewer pages of `{name}` at a time at {}",
                line_of(event.site)
            )),
            remedy: Some(Remedy { rings: vec![ring.config.id.0], least: Some(least) }),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}
