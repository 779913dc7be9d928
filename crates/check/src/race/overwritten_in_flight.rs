//! Bytes that a NoC write has still to read, given away or overwritten.

use tilewright_machine::{CbId, Event};

use super::flights::Flight;
use super::ledger::{Case, Clash, Ledger, event_mark, flight_mark};
use crate::FindingId;
use crate::covered::TransferKind as Kind;
use crate::declaration::{Cause, declare};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// A page popped, or bytes overwritten, while a NoC write out of them may not have left L1. It
    /// may not until a flush or a barrier of the processor that sent it has covered the write, or
    /// that processor has heard from a receiver that it has arrived; a pop is reported at once,
    /// because from there on the producer may fill the page anew, unless it is the sender.
    /// # Why it matters
    /// A write reads L1 some time after the call. What the producer puts into the page in the
    /// meantime is sent in place of what was meant.
    /// # Instead
    /// Call `noc_async_write_barrier()` between the write and the pop, or
    /// `noc_async_writes_flushed()` if a barrier follows before the kernel returns; for posted
    /// writes `noc_async_posted_writes_flushed()`.
    pub struct OverwrittenInFlight {}
    Declaration {
        name: "overwritten-in-flight",
        tool: Some(Tool::Race),
        loses_values: true,
        follows: &[Cause::OfPages],
    }
}

/// A page that is popped too early.
pub(super) fn at_pop(ledger: &Ledger, event: &Event, cb: CbId, flight: &Flight) -> Case {
    let (start, end) = flight.bytes.unwrap_or_default();
    let page = ledger.l1_bytes(event.processor.core, Some(cb), start, end);
    let role = if flight.is_done {
        "page given back to its producer; the bytes happen to have left"
    } else {
        "page given back to its producer; the bytes have not left"
    };
    let core = event.processor.core;
    let (proof, help) = words(flight);
    Case {
        id: FindingId::OverwrittenInFlight,
        site: event.site,
        cycle: event.cycle,
        core,
        title: format!("{page} was popped while a NoC write out of it was in flight"),
        marks: vec![
            flight_mark(core, flight, format!("{} bytes sent", end - start)),
            event_mark(event, role.to_owned()),
        ],
        facts: vec![
            proof,
            "note: reported at (2), whether or not the page is filled too early; real timing may \
             hide it"
                .to_owned(),
        ],
        help,
        wants_use: true,
        word: None,
    }
}

/// Bytes that are overwritten without a pop.
pub(super) fn case(ledger: &Ledger, clash: &Clash, flight: &Flight) -> Case {
    let (next, page) = (&clash.next, ledger.bytes(clash));
    let (start, end) = flight.bytes.unwrap_or_default();
    let core = ledger.coord(clash.old.slot.core());
    let (proof, help) = words(flight);
    Case {
        id: FindingId::OverwrittenInFlight,
        site: ledger.site_of(next),
        cycle: next.cycle,
        core,
        title: format!("{page} is overwritten while a NoC write out of it is in flight"),
        marks: vec![
            flight_mark(core, flight, format!("{} bytes sent", end - start)),
            ledger.mark(next, ledger.deed(next)),
        ],
        facts: vec![proof],
        help,
        wants_use: false,
        word: None,
    }
}

fn words(flight: &Flight) -> (String, String) {
    let who = flight.processor;
    let flush = match flight.kind {
        Kind::Write { posted: true } => "noc_async_posted_writes_flushed",
        Kind::Write { posted: false } | Kind::Read | Kind::Atomic => "noc_async_write_barrier",
    };
    let what = match flight.kind {
        Kind::Write { posted: true } => format!("no `{flush}`"),
        Kind::Write { posted: false } | Kind::Read | Kind::Atomic => {
            format!("no `{flush}` and no barrier")
        }
    };
    (
        format!("proof: {who} called {what} that covers (1) before (2)"),
        format!("call `{flush}()` before (2)"),
    )
}
