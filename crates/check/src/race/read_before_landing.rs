//! Bytes read while a NoC read into them is in flight.

use super::flights::Flight;
use super::ledger::{Case, Clash, Ledger, flight_mark};
use crate::FindingId;
use crate::declaration::{Cause, declare};
use crate::tool::Tool;

declare! {
    /// # What it finds
    /// Bytes that the unpacker, a processor or a NoC write reads while a NoC read into them is in
    /// flight. It is until a barrier of the processor that asked for them has covered it. Where the
    /// page was pushed in between, unawaited-read is reported at the push instead.
    /// # Why it matters
    /// What is read is the old bytes, the new ones, or some of each.
    /// # Instead
    /// Call `noc_async_read_barrier()` between the read and the use.
    pub struct ReadBeforeLanding {}
    Declaration {
        name: "read-before-landing",
        tool: Some(Tool::Race),
        loses_values: true,
        // A processor that leaves its window meets others there.
        follows: &[Cause::OfTool(Tool::Memory)],
    }
}

pub(super) fn case(ledger: &Ledger, clash: &Clash, flight: &Flight) -> Case {
    let (next, page) = (&clash.next, ledger.bytes(clash));
    let (start, end) = flight.bytes.unwrap_or_default();
    let core = ledger.coord(clash.old.slot.core());
    let (asker, user) = (flight.processor, ledger.who(next.slot));
    let state = if flight.is_done {
        "; they happen to be there".to_owned()
    } else {
        format!("; 0 of {} bytes have landed", end - start)
    };
    Case {
        id: FindingId::ReadBeforeLanding,
        site: ledger.site_of(next),
        cycle: next.cycle,
        core: user.core,
        title: format!("{} reads {page} while its NoC read is in flight", user.processor),
        marks: vec![
            flight_mark(core, flight, format!("{} bytes requested", end - start)),
            ledger.mark(next, ledger.deed(next) + &state),
        ],
        facts: vec![format!(
            "proof: {asker} called no `noc_async_read_barrier` that covers (1) before (2)"
        )],
        help: "call `noc_async_read_barrier()` before (2)".to_owned(),
        wants_use: false,
        word: None,
    }
}
