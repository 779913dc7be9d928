//! Accesses to a ring outside the pages that were reserved or waited for.

use tilewright_machine::Event;

use super::window::{Claim, Range};
use crate::FindingId;
use crate::declaration::{Cause, declare};
use crate::ending::count_of;
use crate::finding::{Finding, Mark, line_of};
use crate::flow::Step;
use crate::rings::Ring;
use crate::session::Found;
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// An access to a ring outside the pages that the processor has waited for and not popped, or
    /// has reserved and not pushed.
    /// # Why it matters
    /// Nobody has said that those pages are there, or free: what is read may not be written yet,
    /// and what is written may still be read. It often comes out right, depending on who is
    /// faster. A data-movement processor that neither reserves nor waits uses the ring as plain
    /// memory, and is left alone; so are memory that belongs to no ring, a ring that one processor
    /// alone fills and drains, a ring in a tensor's shard that one processor alone uses, a ring
    /// that is declared as scratch, pages that are there in every schedule because the push that
    /// ended the wait gave them too, or because a compute processor has waited for what the same
    /// producer pushed later to another ring in the same memory, reads of pages that a
    /// data-movement processor has pushed itself and not reserved again (who consumes them does
    /// not write them), and rows that tilize reads beyond the last sticks of a tensor, if all
    /// sticks that came were waited for.
    /// # Instead
    /// Wait for, or reserve, as many pages as are used.
    pub struct OutsideWindow {}
    Declaration {
        name: "outside-window",
        tool: Some(Tool::Memory),
        loses_values: true,
        is_of_turns: true,
        follows: &[Cause::OfItsRing, Cause::OfItsSize],
    }
}

/// What an access misses.
pub(super) struct Miss {
    /// What its processor should have done.
    pub(super) held: Claim,
    /// The pages that it holds.
    pub(super) window: Range,
    /// Where it gave pages away that it had not used.
    pub(super) given: Option<Step>,
}

pub(super) fn report(event: &Event, ring: &Ring, range: Range, miss: Miss, found: &mut Found) {
    let (id, who) = (FindingId::OutsideWindow, event.processor);
    let Miss { held, window, given } = miss;
    if let Some(given) = given {
        return report_given(event, ring, held, given, found);
    }
    found.add_on(ring.config.id, id, event.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let (verb, call, has) = match held {
            Claim::Waited => ("reads", "cb_wait_front", "waited for"),
            Claim::Reserved => ("writes", "cb_reserve_back", "reserved"),
        };
        let page_bytes = u64::from(ring.config.page_bytes);
        let pages = count_of((window.end - window.start) / page_bytes, "page");
        let place = place(range, window, page_bytes);
        let needed = range.end.saturating_sub(window.start).div_ceil(page_bytes);
        let help = match range.start >= window.start {
            true => {
                let (pages, line) = (count_of(needed, "page"), line_of(event.site));
                format!("call `{call}` for {pages} of `{name}` before {line}")
            }
            false => format!("use the page before it is given away, or call `{call}` again"),
        };
        Finding {
            title: format!("{done} on core {core} {verb} {place} of `{name}`, {pages} {has}"),
            marks: vec![Mark {
                role: format!("{done} {verb} {place}, counted from where it is"),
                site: event.site,
                processor: Some(who),
            }],
            facts: vec![format!(
                "proof: {pages} {has}, {:#x} to {:#x}; this is {:#x} to {:#x}",
                window.start, window.end, range.start, range.end
            )],
            help: Some(help),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}

/// An access after the pages were given away: the call that gives them comes too early. The page is
/// told apart by that call, however many lines use it.
fn report_given(event: &Event, ring: &Ring, held: Claim, given: Step, found: &mut Found) {
    let (id, who) = (FindingId::OutsideWindow, event.processor);
    found.add_on(ring.config.id, id, given.site, (event.cycle, who.core), || {
        let (name, done, core) = (&ring.name, who.processor, who.core);
        let (verb, noun, call, gave, gives) = match held {
            Claim::Waited => ("reads", "read", "cb_pop_front", "popped", "pops"),
            Claim::Reserved => ("writes", "write", "cb_push_back", "pushed", "pushes"),
        };
        let line = line_of(given.site);
        let mark = |site, role| Mark { role, site, processor: Some(who) };
        Finding {
            title: format!(
                "{done} on core {core} {verb} a page of `{name}` after it has {gave} it"
            ),
            marks: vec![
                mark(given.site, format!("{done} {gives} the page")),
                mark(event.site, format!("{done} {verb} it")),
            ],
            facts: vec![format!(
                "proof: nothing has used the page before (1), and no other is {}",
                held_as(held)
            )],
            help: Some(format!("move the `{call}` of {line} to after the last {noun} of the page")),
            ..Finding::of(id)
        }
        .at(event.cycle)
    });
}

fn held_as(held: Claim) -> &'static str {
    match held {
        Claim::Waited => "waited for",
        Claim::Reserved => "reserved",
    }
}

/// Which pages an access touches, counted from the window's start.
fn place(range: Range, window: Range, page_bytes: u64) -> String {
    let Some(ahead) = range.start.checked_sub(window.start) else {
        return "a page before the pointer".to_owned();
    };
    let last = range.end.saturating_sub(window.start + 1) / page_bytes;
    match ahead / page_bytes {
        first if first >= last => format!("page {first}"),
        first => format!("pages {first} to {last}"),
    }
}
