//! Reserves of more pages than the ring has.

use tilewright_machine::Event;

use crate::ending::count_of;
use crate::finding::{Finding, FindingId, Mark};
use crate::manual::manual;
use crate::rings::Ring;
use crate::session::Found;

manual! {
    /// # What it finds
    /// A reserve of more pages than the ring has.
    /// # Why it matters
    /// No schedule can satisfy it: the processor never moves again, nor do those who wait for it.
    /// # Instead
    /// Give the ring as many pages as are reserved at a time, or reserve fewer.
    pub struct OverReserve {}
}

pub(super) fn check(event: &Event, ring: &Ring, asked: u32, found: &mut Found) {
    let pages = ring.config.pages;
    if asked <= pages {
        return;
    }
    let (id, who) = (FindingId::OverReserve, event.processor);
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
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
            facts: vec![
                format!("proof: `{name}` has {has}, so no schedule can satisfy it"),
                format!("cycle {}", event.cycle),
            ],
            help: Some(format!("give `{name}` {asked}, or reserve {pages} or fewer at a time")),
            ..Finding::of(id)
        }
    });
}
